"""Files in the form of Karpathy's dataset_coco.json."""

import json


def coco_entry(number, split, *captions):
    folder = "train2014" if split == "train" else "val2014"
    return {
        "filepath": folder,
        "filename": f"COCO_{folder}_{number:012d}.jpg",
        "cocoid": number,
        "imgid": 0,
        "split": split,
        "sentids": list(range(len(captions))),
        "sentences": [
            {
                "tokens": caption.split(),
                "raw": caption.capitalize() + "." * bool(caption.strip()),
                "sentid": k,
                "imgid": 0,
            }
            for k, caption in enumerate(captions)
        ],
    }


def write_coco(tmp_path, *entries):
    path = tmp_path / "dataset_coco.json"
    path.write_text(json.dumps({"dataset": "coco", "images": entries}))
    return path
