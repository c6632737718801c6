"""Numbers of Merkx & Frank (2019) beside measured ones, of the tables that have both."""

import pandas as pd

from reproduction.reporting.compared import Values, joined, recalls, test_set
from reproduction.reporting.measures import as_values
from reproduction.reporting.systems import NAMES

# What the paper calls the baselines, by what makes their vectors.
BASELINES = {"bag-of-words": "BOW", "infersent": "InferSent"}


def table2(content: pd.DataFrame) -> Values:
    """Compare Table 2 of Merkx & Frank (2019): their char-GRU beside the selected model."""
    selected = content["selected"].astype(str).eq("True")
    system = content["model"].where(~selected, "char-GRU")
    return recalls(content.assign(of=test_set(content), system=system))


def table_s1(content: pd.DataFrame) -> Values:
    """Compare their supplement: correlations of ensembles and of baselines."""
    system = content["encoder"].map(BASELINES)
    trained = "char-GRU " + content["dataset"].replace(NAMES)
    system = system.where(content["kind"] != "ensemble", trained)
    system = system.where(content["source"] != "reported", content["system"])
    of = (content["task"] + " " + content["subtask"]).str.replace("all all", "all tasks")
    measure = content["statistic"] + ", " + content["method"]
    found = joined(as_values(content.assign(of=of, system=system, measure=measure)))
    yield found.assign(system=found["name"])
