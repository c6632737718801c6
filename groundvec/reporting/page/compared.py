"""What the papers report beside what was measured, from tables that were written before."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.evaluation.retrieval import CUTOFFS
from groundvec.reporting.labels import CCA
from groundvec.reporting.ranks import TASKS
from groundvec.reporting.systems import NAMES

# What the paper calls the baselines, by what makes their vectors.
BASELINES = {"bag-of-words": "BOW", "infersent": "InferSent"}
INSIDE, ABOVE, BELOW = "in the interval", "above it", "below it"
KEYS = ["of", "system", "measure"]
COLUMNS = [*KEYS, "reported", "value", "low", "high", "verdict"]

Values = Iterator[pd.DataFrame]


def compared(table: str, content: pd.DataFrame) -> pd.DataFrame:
    """The reported numbers of a table that were measured too, with an interval.

    Args:
        table: its paper and name, `merkx_frank_2019/table2`.
        content: its CSV file.

    Returns:
        A row a number: of (the data), system, measure, reported, value (measured), low, high, and
        verdict: what `lies` says. Empty for a table without such numbers.
    """
    if table not in TABLES or content.empty:
        return pd.DataFrame(columns=COLUMNS)
    parts = list(TABLES[table](content))
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    found = found.reindex(columns=COLUMNS).dropna(subset=["reported", "low", "high"])
    return found.assign(verdict=lies(found))


def lies(table: pd.DataFrame) -> np.ndarray:
    """Where reported numbers lie; nothing where there is none, or no interval.

    Args:
        table: columns reported, low and high.
    """
    reported, low, high = table["reported"], table["low"], table["high"]
    places = [reported > high, reported < low, reported.between(low, high)]
    return np.select(places, [ABOVE, BELOW, INSIDE], "")


def _joined(values: pd.DataFrame) -> pd.DataFrame:
    """Reported values beside measured ones of the same keys.

    Args:
        values: columns `KEYS`, source, value, low and high.
    """
    reported = values[values["source"] == "reported"].dropna(subset="value")
    reported = reported[[*KEYS, "value"]].rename(columns={"value": "reported"})
    measured = values[values["source"] == "measured"]
    return reported.merge(measured, on=KEYS)


def _recalls(content: pd.DataFrame) -> Values:
    """Recalls and halves of their intervals, in columns such as `caption_to_image_r10_ci`."""
    for direction in DIRECTIONS:
        for k in CUTOFFS:
            recall, half = (content[f"{direction}_r{k}{end}"] for end in ("", "_ci"))
            measure = f"{direction.replace('_', ' ')} R@{k}"
            numbers = {"value": recall, "low": recall - half, "high": recall + half}
            yield _joined(content.assign(measure=measure, **numbers))


def _test_set(content: pd.DataFrame) -> pd.Series:
    return content["dataset"].replace(NAMES) + ", " + content["test_set"].astype(str)


def _of_table2(content: pd.DataFrame) -> Values:
    """Table 2 of Merkx & Frank (2019): their char-GRU beside the model that is selected."""
    selected = content["selected"].astype(str).eq("True")
    system = content["model"].where(~selected, "char-GRU")
    return _recalls(content.assign(of=_test_set(content), system=system))


def _of_table_s1(content: pd.DataFrame) -> Values:
    """The supplement of Merkx & Frank (2019): correlations of ensembles and of baselines."""
    system = content["encoder"].map(BASELINES)
    trained = "char-GRU " + content["dataset"].replace(NAMES)
    system = system.where(content["kind"] != "ensemble", trained)
    system = system.where(content["source"] != "reported", content["system"])
    numbers = {
        name: 100 * content[f"pearson{end}"]
        for name, end in (("value", ""), ("low", "_low"), ("high", "_high"))
    }
    of = content["task"] + " " + content["subtask"]
    found = _joined(
        content.assign(
            of=of.str.replace("all all", "all tasks"),
            system=system,
            measure=content["statistic"] + ", " + content["method"],
            **numbers,
        )
    )
    yield found.assign(system=found["name"])


def _of_ranks(names: list[str]) -> Callable[[pd.DataFrame], Values]:
    """The tables of Socher et al. (2014), of such numbers."""

    def values(content: pd.DataFrame) -> Values:
        content = content.fillna({"objective": ""})
        system = content["system"].replace({"kCCA": CCA}) + ", " + content["objective"]
        content = content.assign(of=_test_set(content), system=system)
        for direction, task in TASKS.items():
            for name in names:
                column = f"{direction}_{name}"
                measure = f"{task}, {name.replace('_', ' ').replace('r1', 'R@1')}"
                measure = measure.replace("r5", "R@5")
                ends = {"value": "", "low": "_low", "high": "_high"}
                numbers = {key: content[f"{column}{end}"] for key, end in ends.items()}
                found = _joined(content.assign(measure=measure, **numbers))
                yield found.assign(system=found["name"] + ", " + found["objective"])

    return values


def _of_languages(content: pd.DataFrame) -> Values:
    """Table 1 of Calixto & Liu (2017)."""
    system = content["name"].replace({"VSE (retrained)": "VSE"})
    of = content["dataset"].replace(NAMES) + ", " + content["language"]
    return _recalls(content.assign(of=of, system=system))


def _of_images(content: pd.DataFrame) -> Values:
    """Table 2 of Calixto & Liu (2017)."""
    of = content["group"].replace(NAMES)
    ends = {"low": content["value_low"], "high": content["value_high"]}
    yield _joined(content.assign(of=of, system=content["name"], **ends))


TABLES = {
    "merkx_frank_2019/table2": _of_table2,
    "merkx_frank_2019/table_s1": _of_table_s1,
    "socher_2014/table1": _of_ranks(["mean_rank"]),
    "socher_2014/table2": _of_ranks(["mean_rank"]),
    "socher_2014/table3": _of_ranks([f"r{k}" for k in CUTOFFS]),
    "calixto_liu_2017/table1": _of_languages,
    "calixto_liu_2017/table2": _of_images,
}
