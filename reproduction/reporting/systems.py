"""Models and baselines: their order, their names, and which of them tables and figures show."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from groundvec.evaluation.ratings import system_name
from groundvec.evaluation.snapshots import DECIMALS
from groundvec.model.folder import read_ensemble
from groundvec.results import schemas
from groundvec.results.schemas import Measures, Models, Predictions, Retrieval, Scores
from groundvec.runtime.errors import InputError
from reproduction.reporting.measures import SEMANTIC, recall, semantic_measures

PROVENANCE = list(schemas.PROVENANCE)
# How tables print the names of data sets; nothing is recognised by them.
NAMES = {
    "flickr8k": "Flickr8k",
    "flickr30k": "Flickr30k",
    "mscoco": "MSCOCO",
    "pascal1k": "Pascal1K",
    "multi30k": "Multi30k",
}
# The parts that all models of Merkx & Frank (2019) share; others are mentioned with the network.
USUAL = {"text.name": "characters", "similarity": "cosine", "objective.name": "hinge"}


def ordered(models: pd.DataFrame) -> pd.DataFrame:
    """Sort models by data set, network (GRU before LSTM), pooling (attention before max) and size.

    Others follow in their order of appearance, each model's seeds by number. Added are columns
    network, such as `GRU`, `bag (words)` or `LSTM (dot)`, pooling (maybe empty) and size.
    """
    parts = ["encoder.name", "encoder.cell", "encoder.size", "encoder.pooling", *USUAL]
    table = models.reindex(columns=[*models, *(part for part in parts if part not in models)])
    table = table.assign(
        network=table.apply(_network, axis=1),
        pooling=table["encoder.pooling"].astype(object).fillna(""),
        size=pd.to_numeric(table["encoder.size"]).fillna(0).astype(int),
    )
    known = {"network": ["GRU", "LSTM"], "pooling": ["attention", "max"]}
    keys = ["dataset", "network", "pooling", "size", "model", "seed"]
    return sorted_by(table, keys, known).reset_index(drop=True)


def sorted_by(
    table: pd.DataFrame, keys: list[str], known: Mapping[str, Iterable[str]] | None = None
) -> pd.DataFrame:
    """Sort rows by columns: numbers by value, names by their first appearance.

    Args:
        known: by column, the names that come before the others, in this order.
    """

    def places(column: pd.Series) -> pd.Series:
        if is_numeric_dtype(column):
            return column
        names = list(dict.fromkeys([*(known or {}).get(str(column.name), []), *column]))
        return column.map(names.index)

    return table.sort_values(keys, key=places, kind="stable")


def _network(parts: pd.Series) -> str:
    cell = parts["encoder.cell"]
    found = parts[list(USUAL)].dropna()
    name = parts["encoder.name"] if pd.isna(cell) else cell.upper()
    unusual = [of for part, of in found.items() if of != USUAL[str(part)]]
    return f"{name} ({', '.join(unusual)})" if unusual else name


def in_order(table: pd.DataFrame, models: Models) -> pd.DataFrame:
    """Sort rows by their dataset, model and seed in the order of `models`.

    Raises:
        InputError: a row of a model that `models` does not have.
    """
    keys = ["dataset", "model", "seed"]
    known = pd.MultiIndex.from_frame(models[keys])
    place = known.get_indexer(pd.MultiIndex.from_frame(table[keys].astype({"seed": int})))
    if (place < 0).any():
        unknown = table[keys].iloc[int((place < 0).argmax())]
        described(models, *unknown)  # raises the error
    return table.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)


def described(models: Models, dataset: str, model: str, seed: int) -> pd.Series:
    """Return the row of one model; InputError if there is none."""
    rows = rows_of(models, dataset, model, seed)
    if rows.empty:
        raise InputError(
            f"there is no model.json of {system_name(dataset, model, seed)}, which there are "
            "results of: give it too"
        )
    return rows.iloc[0]


def beside(models: Models, source: str) -> str:
    """Name the data set that stands beside a paper's: one from the same source.

    Of several it is the one of the source's own name, or the first; without one, the source's name.
    """
    names = models.loc[models["data_source"] == source, "dataset"].tolist()
    return names[0] if names and source not in names else source


def named(trainings: pd.DataFrame) -> pd.DataFrame:
    """Take every dataset, model and seed of a table once, with a column `system`, its name."""
    once = trainings[["dataset", "model", "seed"]].drop_duplicates()
    return once.assign(system=[system_name(*training) for training in once.to_numpy()])


def rows_of(table: pd.DataFrame, dataset: str, model: str, seed: int) -> pd.DataFrame:
    """Take the rows of one training."""
    training = {"dataset": dataset, "model": model, "seed": seed}
    return table[(table[list(training)] == pd.Series(training)).all(axis=1)]


def model_name(table: pd.DataFrame) -> pd.Series:
    """Name each row's model with its seed, for tables."""
    return table["model"] + ", seed " + table["seed"].astype(str)


def check_scored(table: pd.DataFrame, measures: Measures) -> None:
    """Raise InputError if a model of `table` has no `measures.semantic_measures`."""
    there = set(measures["system"])
    for model in table[["dataset", "model", "seed"]].drop_duplicates().itertuples(index=False):
        if system_name(*model) not in there:
            raise InputError(
                f"there are no semantic scores of {system_name(*model)}: give its file too"
            )


def select(measured: Retrieval, measures: Measures | None, by: str) -> dict[str, tuple[str, int]]:
    """Select the model and seed of each data set that tables and figures single out.

    Args:
        measures: needed if `by` is `ratings`.
        by: `recall`: the ensemble with the best R@10 on the development set. `ratings`: the one
            with the best semantic score. Else the name of a model: of its seeds the one with the
            best R@10. Of equals (to DECIMALS) it is the first.

    Raises:
        InputError: a data set has no model of this name, or no semantic scores.
    """
    table = recall(measured, "dev").rename(columns={"r10": "value"})
    datasets = table["dataset"].unique()
    if by == "ratings":
        assert measures is not None  # they are needed
        table = measures[measures["measure"] == SEMANTIC].rename(columns={"pearson": "value"})
    elif by != "recall":
        table = table[table["model"] == by]
    best = {}
    for dataset in datasets:
        rows = table[(table["dataset"] == dataset) & (table["kind"] == "ensemble")]
        if rows.empty:
            what = "semantic scores of a model" if by == "ratings" else f"scores of a model {by!r}"
            raise InputError(f"{dataset} has no {what}, which is to be selected: choose another")
        row = rows.loc[rows["value"].round(DECIMALS).idxmax()]
        best[dataset] = (row["model"], int(row["seed"]))
    return best


def criterion(by: str) -> str:
    """Describe the selected model, for notes: `the model with ...`."""
    best = "the best R@10 on its data set's development set (mean of both directions)"
    if by == "recall":
        return f"the model with {best}"
    if by == "ratings":
        return "the model with its data set's best semantic score"
    return f"{by}, which the configuration names; of its seeds the one with {best}"


def best_snapshot(about: pd.Series) -> int:
    """Read the epoch of a training's single best snapshot from ensemble.json in its folder.

    Args:
        about: the training's row of `results.read_models`.
    """
    return int(read_ensemble(about["folder"])["best"])


def main_systems(
    table: Scores | Predictions,
    selected: dict[str, tuple[str, int]],
    snapshots: dict[str, int] | None = None,
) -> pd.DataFrame:
    """Take the rows of the systems that tables and figures show, with a column `name`.

    For each data set the ensemble that is selected, such as `gru-2048-attention Flickr8k`; the
    snapshot of that training, if one is named, `gru-2048-attention Flickr8k, epoch 28`; the
    training's untrained network, `untrained gru-2048-attention` (with the data set if the model
    is selected for two); then every baseline by its own name.

    Raises:
        InputError: no rows of a selected ensemble, of its snapshot, or of its untrained network.
    """
    models = {dataset: model for dataset, (model, _) in selected.items()}
    names = {dataset: f"{model} {NAMES.get(dataset, dataset)}" for dataset, model in models.items()}
    wanted = [(dataset, "", name) for dataset, name in names.items()]
    for dataset, best in (snapshots or {}).items():
        wanted.append((dataset, str(best), f"{names[dataset]}, epoch {best}"))
    for dataset, model in models.items():
        several = list(models.values()).count(model) > 1
        wanted.append((dataset, "0", f"untrained {names[dataset] if several else model}"))
    parts = []
    for dataset, epoch, name in wanted:
        system = system_name(dataset, *selected[dataset])
        rows = table[table["system"] == system]
        ensemble = rows["kind"].eq("ensemble")
        snapshot = rows["epochs"].eq(epoch)
        rows = rows[snapshot & ~ensemble if epoch else ensemble]
        if rows.empty:
            what = f"epoch {epoch}" if epoch else "its ensemble"
            raise InputError(
                f"of the selected model {system} there are no semantic results of {what}: give "
                "its file too, or make it again"
            )
        parts.append(rows.assign(name=name))
    baselines = table[table["kind"] == "baseline"]
    return pd.concat([*parts, baselines.assign(name=baselines["system"])], ignore_index=True)


def every_system(scores: Scores, models: Models) -> pd.DataFrame:
    """Take the semantic measures of every ensemble, snapshot and baseline, with their origin."""
    measures = semantic_measures(scores).sort_values("kind", kind="stable")
    baseline = measures["kind"] == "baseline"
    table = pd.concat([in_order(measures[~baseline], models), measures[baseline]])
    keys = ["system", "kind", "epochs"]
    return table.merge(scores[[*keys, *PROVENANCE]].drop_duplicates(keys), on=keys)


def recurrent_name(parts: pd.Series) -> str:
    """Name a recurrent network, such as `char-GRU`; others have their model's name."""
    if parts["encoder.name"] != "rnn":
        return str(parts["model"])
    cell = str(parts["encoder.cell"]).upper()
    text = parts["text.name"]
    return f"char-{cell}" if text == "characters" else f"{cell} ({text})"


def with_seeds(names: pd.Series, seeds: pd.Series) -> pd.Series:
    """Add the seed to names of systems where there are several; some systems have none."""
    if seeds.nunique() < 2:
        return names
    return names + (", seed " + seeds.astype("Int64").astype(str)).where(seeds.notna(), "")
