"""Which models differ on the measures of Figure 2 (Merkx & Frank 2019, section 4.1)."""

from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.evaluation.ratings import system_name
from groundvec.evaluation.significance import compare
from groundvec.papers.merkx_frank_2019.section_4_3 import ROUNDING
from groundvec.render.tables import MISSING, bracketed, p_values, write_table
from groundvec.reporting.measures import SEMANTIC, as_values, recall, semantic_measures
from groundvec.reporting.results import Results
from groundvec.reporting.systems import (
    NAMES,
    USUAL,
    check_scored,
    criterion,
    described,
    rows_of,
)
from groundvec.reporting.verdicts import LEVEL
from groundvec.results.schemas import Models, Predictions
from groundvec.runtime.errors import InputError

NOTES = [
    "Measures as in Figure 2, in percent with their 95% intervals: Pearson's r with the ratings "
    "of a weighted mean over tasks, or by the classifier of a task with training pairs; training "
    "task: R@10 on the development set. Ensembles, each model's first seed.",
    "Interval: the model whose value lies above the whole 95% interval of the other's. This is "
    "not a test at 5%: two independent samples of the same value would differ so in about 17% of "
    "cases.",
    "Williams: the model that is better by his test for two dependent correlations that share the "
    "ratings (Williams 1959; Steiger 1980), two-sided at 5%, on tasks with training pairs; p is "
    "not corrected for the number of tests.",
    "Merkx & Frank (2019) report that GRU and LSTM differ significantly on STS 12-16 only, and "
    "that the GRU of size 4096 is significantly better than that of 2048 on SICK-R.",
]


def make(results: Results, stem: Path) -> None:
    """Write the table of section 4.1."""
    of_ratings, of_recall = semantic_measures(results.scores), recall(results.retrieval, "dev")
    check_scored(of_recall, of_ratings)
    table = pd.concat(
        [as_values(of_ratings[of_ratings["measure"] != SEMANTIC]), as_values(of_recall)]
    )
    predictions = results.predictions if results.given.get("predictions") else None
    compared = compared_models(results.models, results.selected)
    table = differences(table, compared, predictions)
    text = table[["a", "b", "measure"]].rename(columns={"a": "A", "b": "B"})
    for side in "ab":
        value, low, high = (table[f"{side}_{end}"] for end in ("value", "low", "high"))
        text[f"value of {side.upper()}"] = bracketed(value, low, high)
    text["interval"] = table["better_by_interval"]
    text["Williams"] = table["better_by_williams"].fillna(MISSING)
    text["p"] = p_values(table["p"])
    title = "Which of two models is better, on the measures of Figure 2."
    notes = [f"The selected model, compared with every other: {criterion(results.select)}."]
    groups = table["dataset"].replace(NAMES)
    write_table(stem, table, text, "lllrrllr", title, [*NOTES, *notes], groups)


def compared_models(models: Models, selected: dict[str, tuple[str, int]]) -> pd.DataFrame:
    """Pair the selected model of each data set with every other, and GRU with LSTM alike.

    The seeds are the selected one of the selected model, and the first of the others.
    """
    rows = []
    for dataset, (model, seed) in selected.items():
        described(models, dataset, model, seed)
        ours = models[models["dataset"] == dataset]
        seeds = ours.groupby("model", sort=False)["seed"].min().to_dict() | {model: seed}
        first = ours.drop_duplicates("model")
        gru, lstm = (first[first["encoder.cell"] == cell] for cell in ("gru", "lstm"))
        twins = gru.merge(lstm, on=["pooling", "size", *USUAL], suffixes=("_a", "_b"))
        both = [(model, other) for other in seeds if other != model]
        both += [
            (a, b)
            for a, b in zip(twins["model_a"], twins["model_b"], strict=True)
            if model not in (a, b)
        ]
        rows += [(dataset, a, b, seeds[a], seeds[b]) for a, b in both]
    if not rows:
        raise InputError(
            "there is nothing to compare: give the results of two models of a data set"
        )
    return pd.DataFrame(rows, columns=["dataset", "a", "b", "a_seed", "b_seed"])


def differences(
    table: pd.DataFrame, compared: pd.DataFrame, predictions: Predictions | None
) -> pd.DataFrame:
    """Compare models on every measure: by intervals, and by Williams's test where there is one.

    Args:
        table: measures of ensembles, from `measures.as_values`.
        compared: the result of `compared_models`.
    """
    ensembles = table[table["kind"] == "ensemble"]
    parts = []
    for dataset, a, b, a_seed, b_seed in compared.itertuples(index=False, name=None):
        sides = []
        for side, model, seed in (("a", a, a_seed), ("b", b, b_seed)):
            values = rows_of(ensembles, dataset, model, seed)
            columns = {name: f"{side}_{name}" for name in ("value", "low", "high")}
            sides.append(values[["measure", "task", *columns]].rename(columns=columns))
        part = sides[0].merge(sides[1].drop(columns="task"), on="measure")
        names = [system_name(dataset, a, a_seed), system_name(dataset, b, b_seed)]
        part = part.merge(_williams(names, part["task"], predictions), on="task", how="left")
        parts.append(part.assign(dataset=dataset, a=a, b=b, a_seed=a_seed, b_seed=b_seed))
    shown = [*compared, "measure", *(f"{s}_{v}" for s in "ab" for v in ("value", "low", "high"))]
    shown += ["better_by_interval", "t", "p", "better_by_williams"]
    found = pd.concat(parts, ignore_index=True)
    above = {
        "A": found["a_value"] > found["b_high"] + ROUNDING,
        "B": found["b_value"] > found["a_high"] + ROUNDING,
    }
    found["better_by_interval"] = np.select(list(above.values()), list(above), "")
    signs = [found["p"].lt(LEVEL) & found["t"].mul(sign).gt(0) for sign in (1, -1)]
    better = np.select(signs, ["A", "B"], "").astype(object)
    better[found["p"].isna().to_numpy()] = None
    found["better_by_williams"] = better
    return found[shown]


def _williams(names: list[str], tasks: pd.Series, predictions: pd.DataFrame | None) -> pd.DataFrame:
    """Compare two systems, on the tasks among `tasks` that have a classifier: task, t and p."""
    if predictions is None:
        return pd.DataFrame({"task": pd.Series(dtype=object), "t": np.nan, "p": np.nan})
    supervised = predictions[predictions["classifier"].notna() & predictions["task"].isin(tasks)]
    supervised = supervised[supervised["kind"] == "ensemble"]
    try:
        tested = compare(*(supervised[supervised["system"] == name] for name in names))
    except InputError as error:
        raise InputError(f"{' and '.join(names)}: {error}") from None
    return tested[["task", "t", "p"]].astype({"t": float, "p": float})
