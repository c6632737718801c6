"""Generate sentences in the active and the passive voice, and with exchanged roles.

*A dog chases a cat* and *a cat is chased by a dog* have the same meaning. *A cat chases a dog* and
*a dog is chased by a cat* have another meaning, with the same words.
"""

import random

import pandas as pd

from reproduction.scenes.captions import choose, voices
from reproduction.scenes.world import ANIMATE, families

SENTENCES = ["active", "passive", "exchanged_active", "exchanged_passive"]


def exchanges(seed: int, size: int) -> pd.DataFrame:
    """Generate English sentences about `size` scenes; the same seed results in the same sentences.

    No two scenes belong to one family. They are drawn independently of the scenes of `generate` and
    of `graded_pairs` with the same seed.

    Returns:
        The columns `SENTENCES`: the action of each scene, and the action with agent and patient
        exchanged. All four sentences have otherwise the same words.
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
        words = rng.random()  # one seed for the words of all four sentences
        sentences = voices(scene, mention, random.Random(words))
        if "passive" in sentences:
            exchanged = action | {"agent": action["patient"], "patient": action["agent"]}
            others = voices({**scene, "action": exchanged}, mention, random.Random(words))
            row = [sentences["active"], sentences["passive"], others["active"], others["passive"]]
            rows.setdefault(row[0], row)  # skips a sentence that occurred before
    return pd.DataFrame(list(rows.values()), columns=SENTENCES)
