"""The choice of the best snapshots of a training, apart from the measures of their ensembles."""

import pandas as pd

DECIMALS = 9  # scores are compared to so many: beyond is rounding, which differs by processor


def best_snapshots(dev_recall: pd.Series, count: int = 2) -> list[int]:
    """Choose the epochs of the `count` snapshots with the best development recall, in their order.

    Of equals (to DECIMALS) the later one is taken.

    Args:
        dev_recall: indexed by epoch.
    """
    return sorted(dev_recall.round(DECIMALS).iloc[::-1].nlargest(count).index.tolist())
