"""The choice of the best snapshots of a training, apart from the measures of their ensembles."""

from typing import Any

import pandas as pd

from groundvec.model.folder import learned_images

DECIMALS = 9  # scores are compared to so many: beyond is rounding, which differs by processor


def best_snapshots(dev_recall: pd.Series, count: int = 2) -> list[int]:
    """Choose the epochs of the `count` snapshots with the best development recall, in their order.

    Of equals (to DECIMALS) the later one is taken.

    Args:
        dev_recall: indexed by epoch.
    """
    return sorted(dev_recall.round(DECIMALS).iloc[::-1].nlargest(count).index.tolist())


def ensemble(history: pd.DataFrame, model: dict[str, Any]) -> dict[str, Any]:
    """Choose the two snapshots of an ensemble, and the best one: the content of ensemble.json.

    Of a training with beta 0, whose recall of images is chance, they are the last ones.

    Args:
        history: of the training, in the form of history.csv.
        model: the content of its model.json.
    """
    by_epoch = history.set_index("epoch")
    # Of equal scores the later ones are the best.
    scores = by_epoch.loc[model["snapshots"], "dev_recall"] * learned_images(model)
    [best] = best_snapshots(scores, 1)
    epochs = best_snapshots(scores)
    return {"epochs": epochs, "best": best}
