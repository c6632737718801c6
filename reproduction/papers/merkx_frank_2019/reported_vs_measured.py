"""List the numbers that Merkx & Frank (2019) report, and measured ones, table by table."""

import pandas as pd

from reproduction.reporting.measures import as_values
from reproduction.reporting.reported_vs_measured import recalls, test_set
from reproduction.reporting.systems import NAMES

# The paper's names of the baselines, by the encoder.
BASELINES = {"bag-of-words": "BOW", "infersent": "InferSent"}


def table2(content: pd.DataFrame) -> pd.DataFrame:
    """List the recalls of Table 2: the paper's char-GRU and the selected model."""
    selected = content["selected"].astype(str).eq("True")
    system = content["model"].where(~selected, "char-GRU")
    return recalls(content.assign(of=test_set(content), system=system, name=system))


def table_s1(content: pd.DataFrame) -> pd.DataFrame:
    """List the supplement's correlations of ensembles and of baselines."""
    system = content["encoder"].map(BASELINES)
    ensemble = "char-GRU " + content["dataset"].replace(NAMES)
    system = system.where(content["kind"] != "ensemble", ensemble)
    system = system.where(content["source"] != "reported", content["system"])
    subtask = (content["task"] + " " + content["subtask"]).str.replace("all all", "all tasks")
    measure = content["statistic"] + ", " + content["method"]
    return as_values(content.assign(of=subtask, system=system, measure=measure))
