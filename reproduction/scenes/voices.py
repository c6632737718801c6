"""Sentence pairs in the active and in the passive voice, and with exchanged roles.

*A dog chases a cat* and *a cat is chased by a dog* say the same in two orders of words; *a cat
chases a dog* and *a dog is chased by a cat* say something else, in the words of the one and of the
other.
"""

import random

import pandas as pd

from reproduction.scenes.captions import choose, voices
from reproduction.scenes.world import ANIMATE, families

SENTENCES = ["active", "passive", "exchanged_active", "exchanged_passive"]


def exchanges(seed: int, size: int) -> pd.DataFrame:
    """Make English sentences about so many scenes; the same seed gives the same sentences.

    No two scenes are of one family. They come from another stream of random numbers than those of
    `generate` and of `graded_pairs` with the same seed.

    Returns:
        Columns `SENTENCES`: of each scene what happens in it, and the same with agent and patient
        exchanged, all four otherwise in the same words.
    """
    source = families(random.Random(f"voices {seed}"))
    rng = random.Random(f"said {seed}")
    rows: dict[str, list[str]] = {}
    while len(rows) < size:
        scene = next(source)[0]
        kinds = {thing["id"]: thing["kind"] for thing in scene["objects"]}
        action = scene["action"]
        if not action or not {kinds[action["agent"]], kinds[action["patient"]]} <= {*ANIMATE}:
            continue
        mention = choose(scene, rng) | {"a", "b", "action"}
        words = rng.random()
        said = voices(scene, mention, random.Random(words))
        if "passive" in said:
            turned = action | {"agent": action["patient"], "patient": action["agent"]}
            other = voices({**scene, "action": turned}, mention, random.Random(words))
            row = [said["active"], said["passive"], other["active"], other["passive"]]
            rows.setdefault(row[0], row)
    return pd.DataFrame(list(rows.values()), columns=SENTENCES)
