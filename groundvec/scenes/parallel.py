"""Scenes said in English and in German: sentences that are each other's translations."""

import json
import random
from pathlib import Path

import pandas as pd

from groundvec.scenes.captions import caption, choose

PAIRS = {"train": 5, "dev": 1, "test": 1}  # of a scene


def pairs(scenes: str | Path, seed: int) -> pd.DataFrame:
    """Make sentence pairs in English and German with the same facts of a scene.

    They differ from the captions: their facts are drawn separately.

    Args:
        scenes: the scenes.jsonl that `groundvec.scenes.generate` wrote.
        seed: of the draws.

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
                for language in ("en", "de")
            }
            rows.append({"split": scene["split"], "image_id": scene["image_id"], **both})
    return pd.DataFrame(rows)
