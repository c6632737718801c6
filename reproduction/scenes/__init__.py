"""The embedded data set: drawn scenes with English and German captions.

A scene's facts (`world`) determine its image (`draw`) and its captions (`captions`).
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
PAIRS = {"train": 5, "dev": 1, "test": 1}  # sentence pairs of a scene, by split


def generate(folder: Path, images: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw and describe `images` scenes; the same seed results in the same bytes.

    Write `folder/images/<image_id>.png` (320x256) and `folder/scenes.jsonl`, with one line per
    image: its facts, as in `reproduction.scenes.world`, its `image_id`, `family` and `split`, and
    its captions, each with the names of the facts that it mentions.

    Returns:
        The captions (columns image_id, language, split, caption), five per image and language, and
        the images (columns image_id, split, path).
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
    """Generate the facts and captions of all scenes.

    Families are independent, so consecutive families form the splits. The last family of a split is
    truncated.
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
                named = {
                    "image_id": f"scene-{len(scenes) + 1:04d}",
                    "family": f"family-{number:04d}",
                    "split": split,
                    **scene,
                }
                scenes.append({**named, "captions": _describe(named, seed)})
    return scenes


def _describe(scene: Scene, seed: int) -> list[dict[str, Any]]:
    """Write five different captions in each language.

    The first two captions of all scenes of a family choose the same facts and words, so they differ
    only in the facts that distinguish the scenes.
    """
    rows = []
    for language in LANGUAGES:
        texts: list[str] = []
        for k in range(CAPTIONS):
            name = scene["family"] if k < 2 else scene["image_id"]
            rng = random.Random(f"caption {seed} {name} {language} {k}")
            text = ""
            # Draw again until the caption differs from the image's other ones.
            while not text or text in texts:
                mention = choose(scene, rng)
                text = caption(scene, mention, rng, language)
            texts.append(text)
            rows.append({"language": language, "caption": text, "mentions": sorted(mention)})
    return rows


def pairs(scenes: str | Path, seed: int) -> pd.DataFrame:
    """Write pairs of an English and a German sentence with the same facts of a scene.

    Their facts are drawn independently of the captions.

    Args:
        scenes: the file scenes.jsonl that `generate` wrote.
        seed: the seed of the choices.

    Returns:
        The columns split, image_id, en and de, with `PAIRS` rows per scene.
    """
    rows = []
    for line in Path(scenes).read_text("utf-8").splitlines():
        scene = json.loads(line)
        for k in range(PAIRS[scene["split"]]):
            name = f"parallel {seed} {scene['image_id']} {k}"
            mention = choose(scene, random.Random(name))
            row = {"split": scene["split"], "image_id": scene["image_id"]}
            for language in LANGUAGES:
                # The same seed for both languages, so that both choose, for example, the passive.
                rng = random.Random(f"{name} words")
                row[language] = caption(scene, mention, rng, language)
            rows.append(row)
    return pd.DataFrame(rows)
