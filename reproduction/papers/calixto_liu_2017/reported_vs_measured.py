"""Compare the numbers that Calixto & Liu (2017) report with measured ones, table by table."""

import pandas as pd

from reproduction.reporting.reported_vs_measured import Pairs, joined, recalls
from reproduction.reporting.systems import NAMES, with_seeds


def table1(content: pd.DataFrame) -> Pairs:
    """Pair the recalls of Table 1."""
    system = content["name"].replace({"VSE (retrained)": "VSE"})
    captions = content["dataset"].replace(NAMES) + ", " + content["language"]
    for pairs in recalls(content.assign(of=captions, system=system)):
        yield pairs.assign(system=with_seeds(pairs["system"], pairs["seed"]))


def table2(content: pd.DataFrame) -> Pairs:
    """Pair the correlations of Table 2."""
    pairs = joined(
        content.assign(
            of=content["group"].replace(NAMES),
            system=content["name"],
            low=content["value_low"],
            high=content["value_high"],
        )
    )
    yield pairs.assign(system=with_seeds(pairs["system"], pairs["seed"]))
