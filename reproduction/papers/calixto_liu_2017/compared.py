"""Numbers of Calixto & Liu (2017) beside measured ones, of the tables that have both."""

import pandas as pd

from reproduction.reporting.compared import Values, joined, recalls
from reproduction.reporting.systems import NAMES, with_seeds


def table1(content: pd.DataFrame) -> Values:
    """Compare Table 1 of Calixto & Liu (2017)."""
    system = content["name"].replace({"VSE (retrained)": "VSE"})
    of = content["dataset"].replace(NAMES) + ", " + content["language"]
    for found in recalls(content.assign(of=of, system=system)):
        yield found.assign(system=with_seeds(found["system"], found["seed"]))


def table2(content: pd.DataFrame) -> Values:
    """Compare Table 2 of Calixto & Liu (2017)."""
    of = content["group"].replace(NAMES)
    ends = {"low": content["value_low"], "high": content["value_high"]}
    found = joined(content.assign(of=of, system=content["name"], **ends))
    yield found.assign(system=with_seeds(found["system"], found["seed"]))
