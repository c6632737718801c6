"""The choice of the best snapshots of a training.

It is apart from the measures of their ensembles, so that a change there chooses nothing again.
"""

import pandas as pd

from groundvec.config.types import Ensemble, Metadata
from groundvec.model.folder import learned_images
from groundvec.runtime.errors import InputError

# Scores are compared to nine decimals: beyond that, processors differ, and so would the choice.
DECIMALS = 9


def best_snapshots(dev_recall: pd.Series, count: int = 2) -> list[int]:
    """Choose the epochs of the `count` snapshots with the best development recall, in their order.

    Among equal snapshots (to DECIMALS) the later one is better: it has seen more.

    Args:
        dev_recall: indexed by epoch.
    """
    # nlargest keeps the first of equal values: turn the series around.
    latest_first = dev_recall.round(DECIMALS).iloc[::-1]
    return sorted(latest_first.nlargest(count).index.tolist())


def ensemble(history: pd.DataFrame, model: Metadata) -> Ensemble:
    """Choose the two snapshots of an ensemble, and the best one: the content of ensemble.json.

    If captions were not trained with their images (beta 0 or permuted images), the recall of images
    is at chance, and the last snapshots are chosen.

    Args:
        history: the training's history.csv.
        model: the content of its model.json.

    Raises:
        InputError: an epoch of a snapshot is not in the history.
    """
    by_epoch = history.set_index("epoch")
    missing = set(model["snapshots"]) - set(by_epoch.index)
    if missing:
        raise InputError(
            f"the history has no epoch {min(missing)}, which is a snapshot of the model: give the "
            "history.csv and the model.json of one training"
        )
    scores = by_epoch.loc[model["snapshots"], "dev_recall"]
    if not learned_images(model["description"]):
        # Their recall is chance. If scores are equal, the later ones are chosen.
        scores = scores * 0
    [best] = best_snapshots(scores, 1)
    return {"epochs": best_snapshots(scores), "best": best}
