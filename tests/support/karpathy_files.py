"""Files in the form of Karpathy's dataset_coco.json, with fewer ids."""

import json


def coco_entry(number, split, *captions):
    folder = "train2014" if split == "train" else "val2014"
    return {
        "filepath": folder,
        "filename": f"COCO_{folder}_{number:012d}.jpg",
        "split": split,
        "sentences": [
            {"tokens": caption.split(), "raw": caption.capitalize() + "." * bool(caption.strip())}
            for caption in captions
        ],
    }


def write_coco(tmp_path, *entries):
    path = tmp_path / "dataset_coco.json"
    path.write_text(json.dumps({"dataset": "coco", "images": entries}))
    return path
