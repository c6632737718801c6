"""Relations by the norm of their matrix (Socher et al. 2014, section 6.7), and how many there are.

Not in the paper: how often each relation occurs, and how far its matrix is from the identity, which
all of them start near.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.card.text import MISSING, decimals
from groundvec.evaluation.seeds import t_interval
from groundvec.results.frames import read
from reproduction.papers.socher_2014.labels import trained_as
from reproduction.papers.socher_2014.reported import ReportedRelations
from reproduction.render.tables import column_with_interval, write_table
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, best_snapshot, sorted_by
from reproduction.text.trees import RARE

SHOWN = 20  # relations of a data set; the CSV has all
PRINTED = 141  # relations, section 3.3

NOTES = [
    "Norm: Frobenius norm of the relation's matrix in the SDT-RNN. Minus identity: the norm of its "
    "difference from the identity, which with some noise is what training starts from. "
    "Means over the seeds, with 95% t intervals; each seed's best snapshot on the development set.",
    "Edges: of all edges of the training captions' trees, percent. A relation that most captions "
    "have had more to learn from.",
    f"The {SHOWN} largest norms, and what the paper names; the CSV file has all relations.",
    "Reported: the place of the relation in section 6.7 of Socher et al. (2014), which prints the "
    "passive auxiliary twice. Their parser is another, and so are some of its relations.",
]
COUNTS_NOTES = [
    f"Rare: relations with fewer than {RARE} edges in the trees of the training captions. Of "
    "several seeds the mean.",
    "Reported: the number of relations in section 3.3 of Socher et al. (2014), who call most of "
    "them very rare.",
]


def make(results: Results, stem: Path) -> None:
    """Write the relations' norms; their numbers are called stem-counts."""
    table = of_models(results)
    reported = read(results["reported"], ReportedRelations)
    write_norms(stem, over_seeds(table), reported)
    counts = counted(table)
    text = counts[["source"]].assign(**{"data set": counts["dataset"].replace(NAMES)})
    text["relations"], text["rare"] = (decimals(counts[of], 0) for of in ("relations", "rare"))
    text["edges of rare ones (%)"] = decimals(counts["rare_share"], 2)
    title = "How many relations there are, and how many edges the rare ones have."
    write_table(stem.with_name(f"{stem.name}-counts"), counts, text, "llrrr", title, COUNTS_NOTES)


def norms(matrices: np.ndarray, relations: Sequence[str], edges: Sequence[int]) -> pd.DataFrame:
    """Measure the norms of one model's matrices, (R, size, size) in the order of the relations.

    `from_identity` is the norm of the matrix minus the identity, `share` is percent of all edges.
    """
    table = pd.DataFrame({"relation": list(relations), "edges": list(edges)})
    table["share"] = 100 * table["edges"] / table["edges"].sum()
    table["norm"] = np.linalg.norm(matrices, axis=(1, 2))
    apart = np.linalg.norm(matrices - np.eye(matrices.shape[1]), axis=(1, 2))
    return table.assign(from_identity=apart)


def of_models(results: Results) -> pd.DataFrame:
    """Measure the `norms` of every seed of each data set's SDT-RNN."""
    from groundvec.model.network import load_model  # torch takes seconds to import

    tables = []
    for _, about in trained_as(results.models, "SDT-RNN").iterrows():
        epoch = best_snapshot(about)
        model = load_model(about["folder"], epoch)
        language = about["languages"][0]
        encoder: Any = model.captions[model.name_of(language)]
        text = model.texts[language]
        matrices = encoder.matrices.detach().numpy()
        labels = {name: about[name] for name in ("dataset", "model", "seed")}
        table = norms(matrices, text.relations, text.counts)
        tables.append(table.assign(**labels, epoch=epoch, size=matrices.shape[1]))
    return pd.concat(tables, ignore_index=True)


def over_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """Average the seeds, a row for each data set and relation, the largest norm first."""
    rows = []
    keys = ["dataset", "model", "size", "relation"]
    for key, seeds in table.groupby(keys, sort=False):
        row = dict(zip(keys, key, strict=True)) | {"seeds": len(seeds)}
        row |= {name: seeds[name].mean() for name in ("edges", "share", "norm", "from_identity")}
        for name in ("norm", "from_identity"):
            row[f"{name}_low"], row[f"{name}_high"] = t_interval(seeds[name])
        rows.append(row)
    found = pd.DataFrame(rows)
    place = found.groupby("dataset")["norm"].rank(ascending=False, method="first").astype(int)
    found = sorted_by(found.assign(place=place), ["dataset", "place"])
    values = [f"{name}{end}" for name in ("norm", "from_identity") for end in ("", "_low", "_high")]
    return found[[*keys, "place", "seeds", "edges", "share", *values]].reset_index(drop=True)


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Count the relations, and the edges of the rare ones; the paper's come first."""
    rows = [{"dataset": "pascal1k", "source": "reported", "relations": PRINTED}]
    for dataset, of_dataset in table.groupby("dataset", sort=False):
        seeds = of_dataset["seed"].nunique()
        rare = of_dataset[of_dataset["edges"] < RARE]
        row = {"relations": len(of_dataset) / seeds, "rare": len(rare) / seeds}
        row |= {"rare_share": rare["share"].sum() / seeds}
        rows.append({"dataset": dataset, "source": "measured", **row})
    return pd.DataFrame(rows)


def write_norms(stem: Path, table: pd.DataFrame, reported: ReportedRelations) -> None:
    """Write the result of `over_seeds`."""
    printed = reported.groupby("relation")["place"].agg(lambda p: ", ".join(f"{n:.0f}" for n in p))
    table = table.assign(reported=table["relation"].map(printed))
    shown = table[(table["place"] <= SHOWN) | table["reported"].notna()]
    text = shown[["place", "relation", "reported"]].astype({"place": str}).fillna(MISSING)
    text["norm"] = column_with_interval(shown, "norm", 2)
    text["minus identity"] = column_with_interval(shown, "from_identity", 2)
    text["edges (%)"] = decimals(shown["share"], 2)
    title = "Relations by the Frobenius norm of their matrix in the SDT-RNN."
    groups = shown["dataset"].replace(NAMES) + ": " + shown["model"]
    write_table(stem, table, text, "rlrrrr", title, NOTES, groups)
