"""List the numbers that Calixto & Liu (2017) report, and measured ones, table by table."""

import pandas as pd

from reproduction.reporting.reported_vs_measured import recalls
from reproduction.reporting.systems import NAMES, with_seeds


def table1(content: pd.DataFrame) -> pd.DataFrame:
    """List the recalls of Table 1."""
    system = content["name"].replace({"VSE (retrained)": "VSE"})
    captions = content["dataset"].replace(NAMES) + ", " + content["language"]
    name = with_seeds(system, content["seed"])
    return recalls(content.assign(of=captions, system=system, name=name))


def table2(content: pd.DataFrame) -> pd.DataFrame:
    """List the correlations of Table 2."""
    return content.assign(
        of=content["group"].replace(NAMES),
        system=content["name"],
        name=with_seeds(content["name"], content["seed"]),
        low=content["value_low"],
        high=content["value_high"],
    )
