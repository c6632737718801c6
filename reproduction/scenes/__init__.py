"""The embedded data set: drawn scenes, described in English and in German.

The facts come first (`world`); a picture (`draw`) and captions (`captions`) are made from them.
"""

import json
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.runtime.files import atomic, write_bytes
from groundvec.runtime.progress import Progress
from reproduction.scenes.captions import caption, choose
from reproduction.scenes.draw import picture
from reproduction.scenes.world import Scene, facts, families, predicates, swap

__all__ = ["caption", "choose", "facts", "families", "picture", "predicates", "swap"]

LANGUAGES = ("en", "de")
CAPTIONS = 5
PAIRS = {"train": 5, "dev": 1, "test": 1}  # of a scene


def generate(folder: Path, images: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw and describe `images` scenes; the same seed gives the same bytes.

    Writes `folder/images/<image_id>.png` (320x256) and `folder/scenes.jsonl`: for each image one
    line with the facts, as in `reproduction.scenes.world`, its `image_id`, `family` and `split`,
    and its captions, each with the names of the facts that it mentions.

    Returns:
        captions (`image_id, language, split, caption`; five a language) and images
        (`image_id, split, path`).
    """
    scenes = _scenes(images, seed)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    with atomic(folder / "scenes.jsonl") as path, path.open("w", encoding="utf-8") as file:
        for scene in Progress(scenes, desc="drawing scenes", unit="images"):
            rng = random.Random(f"picture {seed} {scene['image_id']}")
            data = BytesIO()
            picture(scene, rng).save(data, "PNG")
            write_bytes(folder / "images" / f"{scene['image_id']}.png", data.getbuffer())
            file.write(json.dumps(scene, ensure_ascii=False) + "\n")
    captions = pd.json_normalize(scenes, "captions", ["image_id", "split"])
    images_ = pd.DataFrame(scenes)[["image_id", "split"]]
    images_["path"] = [str(folder / "images" / f"{name}.png") for name in images_["image_id"]]
    return captions[["image_id", "language", "split", "caption"]], images_


def _scenes(images: int, seed: int) -> list[Scene]:
    """Draw all scenes with their captions.

    Families are independent, so the splits may follow each other; the last family of a split is
    cut short to fit.
    """
    train = round(0.7 * images)
    dev = round(0.15 * images)
    sizes = {"train": train, "dev": dev, "test": images - train - dev}
    source = enumerate(families(random.Random(f"world {seed}")), start=1)
    scenes: list[Scene] = []
    for split, size in sizes.items():
        end = len(scenes) + size
        while len(scenes) < end:
            number, family = next(source)
            for scene in family[: end - len(scenes)]:
                image = f"scene-{len(scenes) + 1:04d}"
                of = f"family-{number:04d}"
                described = {"image_id": image, "family": of, "split": split, **scene}
                scenes.append({**described, "captions": _describe(described, seed)})
    return scenes


def _describe(scene: Scene, seed: int) -> list[dict[str, Any]]:
    """Write five different captions in each language.

    The first two choose the same facts and words for a whole family, and differ only in what sets
    its scenes apart.
    """
    rows = []
    for language in LANGUAGES:
        texts: list[str] = []
        for k in range(CAPTIONS):
            whose = scene["family"] if k < 2 else scene["image_id"]
            rng = random.Random(f"caption {seed} {whose} {language} {k}")
            text = ""
            while not text or text in texts:
                mention = choose(scene, rng)
                text = caption(scene, mention, rng, language)
            texts.append(text)
            rows.append({"language": language, "caption": text, "mentions": sorted(mention)})
    return rows


def pairs(scenes: str | Path, seed: int) -> pd.DataFrame:
    """Make sentence pairs in English and German with the same facts of a scene.

    They differ from the captions: their facts are drawn separately.

    Args:
        scenes: the scenes.jsonl that `generate` wrote.

    Returns:
        Some pairs per scene, in columns split, image_id, en and de.
    """
    rows = []
    for line in Path(scenes).read_text("utf-8").splitlines():
        scene = json.loads(line)
        for k in range(PAIRS[scene["split"]]):
            name = f"parallel {seed} {scene['image_id']} {k}"
            mention = choose(scene, random.Random(name))
            # The same draws for both, so that both choose the active or the passive, for one.
            both = {
                language: caption(scene, mention, random.Random(f"{name} words"), language)
                for language in LANGUAGES
            }
            rows.append({"split": scene["split"], "image_id": scene["image_id"], **both})
    return pd.DataFrame(rows)
