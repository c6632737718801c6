"""Models and baselines: their order, their names, and the selection that tables show."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from groundvec.evaluation.ratings import system_name
from groundvec.evaluation.snapshots import DECIMALS
from groundvec.model.folder import ModelFolder
from groundvec.results import schemas
from groundvec.results.schemas import Predictions, Retrieval, Scores
from groundvec.runtime.errors import InputError
from reproduction.reporting.measures import SEMANTIC, recall, semantic_measures
from reproduction.schemas import Measures, Models

PROVENANCE = list(schemas.PROVENANCE)
# The names of data sets in tables. No code depends on them.
NAMES = {
    "flickr8k": "Flickr8k",
    "flickr30k": "Flickr30k",
    "mscoco": "MSCOCO",
    "pascal1k": "Pascal1K",
    "multi30k": "Multi30k",
}
WITH_BANK = ", with a bank"  # after the name of a model
BANK_NOTE = (
    "With a bank: candidates are ranked by cosines that a bank of training pictures and captions "
    "normalizes (Bogolin et al. 2022). The papers rank by plain cosines."
)
# The parts that all models of Merkx & Frank (2019) share. A network's name has only other parts.
USUAL = {"text.name": "characters", "similarity": "cosine", "objective.name": "hinge"}


def ordered(models: pd.DataFrame) -> pd.DataFrame:
    """Sort models by data set, network (GRU before LSTM), pooling (attention before max) and size.

    Other networks and poolings follow in their order of appearance, and the seeds of a model by
    number.

    Returns:
        The models with the columns network, such as `GRU`, `bag (words)` or `LSTM (dot)`, pooling
        (may be empty) and size.
    """
    parts = ["encoder.name", "encoder.cell", "encoder.size", "encoder.pooling", *USUAL]
    missing = [part for part in parts if part not in models]
    table = models.reindex(columns=[*models, *missing])
    table = table.assign(
        network=table.apply(_network, axis=1),
        pooling=table["encoder.pooling"].astype(object).fillna(""),
        size=pd.to_numeric(table["encoder.size"]).fillna(0).astype(int),
    )
    first = {"network": ["GRU", "LSTM"], "pooling": ["attention", "max"]}
    keys = ["dataset", "network", "pooling", "size", "model", "seed"]
    return sorted_by(table, keys, first).reset_index(drop=True)


def sorted_by(
    table: pd.DataFrame, keys: list[str], first: Mapping[str, Iterable[str]] | None = None
) -> pd.DataFrame:
    """Sort rows by columns: numbers by value, names by their first appearance.

    Args:
        first: the names of a column that come before all others, in their order.
    """

    def ranks(column: pd.Series) -> pd.Series:
        if is_numeric_dtype(column):
            return column
        first_names = (first or {}).get(str(column.name), [])
        names = list(dict.fromkeys([*first_names, *column]))
        return column.map(names.index)

    return table.sort_values(keys, key=ranks, kind="stable")


def _network(description: pd.Series) -> str:
    """Name a model's network, with the parts that differ from `USUAL` in brackets."""
    cell = description["encoder.cell"]
    name = description["encoder.name"] if pd.isna(cell) else cell.upper()
    parts = description[list(USUAL)].dropna()
    unusual = [option for part, option in parts.items() if option != USUAL[str(part)]]
    return f"{name} ({', '.join(unusual)})" if unusual else name


def in_order(table: pd.DataFrame, models: Models) -> pd.DataFrame:
    """Sort rows by their dataset, model and seed in the order of `models`.

    Raises:
        InputError: `models` lacks the model of a row.
    """
    keys = ["dataset", "model", "seed"]
    trainings = pd.MultiIndex.from_frame(models[keys])
    positions = trainings.get_indexer(pd.MultiIndex.from_frame(table[keys].astype({"seed": int})))
    if (positions < 0).any():
        unknown = table[keys].iloc[int((positions < 0).argmax())]
        described(models, *unknown)  # raises the error
    return table.iloc[np.argsort(positions, kind="stable")].reset_index(drop=True)


def described(models: Models, dataset: str, model: str, seed: int) -> pd.Series:
    """Return the row of one training.

    Raises:
        InputError: `models` lacks it.
    """
    rows = rows_of(models, dataset, model, seed)
    if rows.empty:
        raise InputError(
            f"found results for {system_name(dataset, model, seed)} but no model.json: pass it "
            "with --models"
        )
    return rows.iloc[0]


def dataset_of(models: Models, source: str) -> str:
    """Return the data set whose scores are shown next to a paper's scores on `source`.

    It is a data set from the same source. If several match, prefer the one named like the source,
    else the first. If none matches, return the source's name.
    """
    names = models.query("data_source == @source")["dataset"].tolist()
    return names[0] if names and source not in names else source


def named(trainings: pd.DataFrame) -> pd.DataFrame:
    """List each dataset, model and seed of a table once, with its name in the column `system`."""
    once = trainings[["dataset", "model", "seed"]].drop_duplicates()
    return once.assign(system=[system_name(*training) for training in once.to_numpy()])


def test_to_train_of(models: Models) -> pd.Series:
    """Return `test_to_train` by data set: all models of a data set have the same draws."""
    return models.drop_duplicates("dataset").set_index("dataset")["test_to_train"]


def rows_of(table: pd.DataFrame, dataset: str, model: str, seed: int) -> pd.DataFrame:
    """Select the rows of one training."""
    return table.query("dataset == @dataset and model == @model and seed == @seed")


def ensembles(table: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of ensembles; with a bank they are models of their own, by their names."""
    rows = table[table["kind"].isin(["ensemble", schemas.QUERYBANK])]
    has_bank = rows["kind"] == schemas.QUERYBANK
    return rows.assign(model=rows["model"].mask(has_bank, rows["model"] + WITH_BANK))


def model_name(table: pd.DataFrame) -> pd.Series:
    """Name each row's model with its seed, for tables."""
    return table["model"] + ", seed " + table["seed"].astype(str)


def check_scored(table: pd.DataFrame, measures: Measures) -> None:
    """Raise InputError if a training of `table` has no `measures.semantic_measures`."""
    scored = set(measures["system"])
    for system in named(table)["system"]:
        if system not in scored:
            raise InputError(f"found no semantic scores of {system}: pass their file as well")


def select(measured: Retrieval, measures: Measures | None, by: str) -> dict[str, tuple[str, int]]:
    """Select one model and seed for each data set, which tables and figures show in detail.

    Args:
        measures: the semantic scores, required if `by` is `ratings`.
        by: `recall` selects the ensemble with the best R@10 on the development set, and `ratings`
            the one with the best semantic score. The name of a model selects its seed with the best
            R@10. The first of several equal scores (to DECIMALS) is taken.

    Raises:
        InputError: a data set has no model of this name, or no semantic scores.
    """
    table = recall(measured, "dev").rename(columns={"r10": "value"})
    datasets = table["dataset"].unique()
    if by == "ratings":
        assert measures is not None
        table = measures.query(f"measure == {SEMANTIC!r}").rename(columns={"pearson": "value"})
    elif by != "recall":
        table = table.query("model == @by")
    best = {}
    for dataset in datasets:
        rows = table[(table["dataset"] == dataset) & (table["kind"] == "ensemble")]
        if rows.empty:
            scores = "semantic scores" if by == "ratings" else f"scores of a model {by!r}"
            raise InputError(f"{dataset} has no {scores} to select by: choose another")
        # Values that differ by rounding only count as equal, so every processor selects the same.
        row = rows.loc[rows["value"].round(DECIMALS).idxmax()]
        best[dataset] = (row["model"], int(row["seed"]))
    return best


def criterion(by: str) -> str:
    """Describe how the model was selected, for notes: `the model with ...`."""
    best = "the best R@10 on its data set's development set (mean of both directions)"
    if by == "recall":
        return f"the model with {best}"
    if by == "ratings":
        return "the model with its data set's best semantic score"
    return f"{by}, which the configuration names; of its seeds the one with {best}"


def best_snapshot(training: pd.Series) -> int:
    """Read the epoch of a training's single best snapshot from ensemble.json in its folder.

    Args:
        training: the training's row of `results.read_models`.
    """
    return int(ModelFolder(training["folder"]).ensemble["best"])


def main_systems(
    table: Scores | Predictions,
    selected: dict[str, tuple[str, int]],
    snapshots: dict[str, int] | None = None,
) -> pd.DataFrame:
    """Select the rows of the systems that tables and figures show, with a column `name`.

    These are, for each data set, the selected ensemble (`gru-2048-attention Flickr8k`), the
    training's snapshot if `snapshots` has one (`gru-2048-attention Flickr8k, epoch 28`) and its
    untrained network (`untrained gru-2048-attention`, with the data set if the model is selected
    for two). Then follows every baseline.

    Args:
        selected: the model and seed of each data set.
        snapshots: the epoch of a snapshot of each data set's training.

    Raises:
        InputError: an ensemble, snapshot or untrained network has no rows.
    """
    models = {dataset: model for dataset, (model, _) in selected.items()}
    names = {dataset: f"{model} {NAMES.get(dataset, dataset)}" for dataset, model in models.items()}
    # The data set, the epoch ("" for the ensemble) and the name of each system.
    systems = [(dataset, "", name) for dataset, name in names.items()]
    for dataset, best in (snapshots or {}).items():
        systems.append((dataset, str(best), f"{names[dataset]}, epoch {best}"))
    for dataset, model in models.items():
        several = list(models.values()).count(model) > 1
        systems.append((dataset, "0", f"untrained {names[dataset] if several else model}"))
    parts = []
    for dataset, epoch, name in systems:
        system = system_name(dataset, *selected[dataset])
        # The ensemble of a single snapshot has that snapshot's epoch, too.
        kind = "kind != 'ensemble' and epochs == @epoch" if epoch else "kind == 'ensemble'"
        rows = table.query(f"system == @system and {kind}")
        if rows.empty:
            part = f"epoch {epoch}" if epoch else "the ensemble"
            raise InputError(
                f"found no semantic results of {part} of the selected model {system}: pass their "
                "file as well, or make it again"
            )
        parts.append(rows.assign(name=name))
    baselines = table.query("kind == 'baseline'")
    return pd.concat([*parts, baselines.assign(name=baselines["system"])], ignore_index=True)


def every_system(scores: Scores, models: Models) -> pd.DataFrame:
    """Compute the semantic measures of every ensemble, snapshot and baseline, with provenance."""
    measures = semantic_measures(scores).sort_values("kind", kind="stable")
    trained = in_order(measures.query("kind != 'baseline'"), models)
    table = pd.concat([trained, measures.query("kind == 'baseline'")])
    keys = ["system", "kind", "epochs"]
    return table.merge(scores[[*keys, *PROVENANCE]].drop_duplicates(keys), on=keys)


def recurrent_name(description: pd.Series) -> str:
    """Name a recurrent network, such as `char-GRU`; another network has its model's name."""
    if description["encoder.name"] != "rnn":
        return str(description["model"])
    cell = str(description["encoder.cell"]).upper()
    text = description["text.name"]
    return f"char-{cell}" if text == "characters" else f"{cell} ({text})"


def with_seeds(names: pd.Series, seeds: pd.Series) -> pd.Series:
    """Add the seed to the names of systems if there are several seeds; baselines have none."""
    if seeds.nunique() < 2:
        return names
    return names + (", seed " + seeds.astype("Int64").astype(str)).where(seeds.notna(), "")
