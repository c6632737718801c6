"""Rank relations by the norm of their matrix (Socher et al. 2014, section 6.7).

Two columns are not in the paper: how often each relation occurs, and the distance of its matrix
from the identity, near which all matrices start.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.card.text import MISSING, decimals
from groundvec.results.frames import read_csv
from reproduction.papers.socher_2014.labels import sdt_rnns
from reproduction.render.tables import column_with_interval, write_table
from reproduction.reporting.results import Results
from reproduction.reporting.seeds import t_interval
from reproduction.reporting.systems import NAMES, best_snapshot, sorted_by

SHOWN = 20  # relations of a data set in the table; the CSV file has all

NOTES = [
    "Norm: Frobenius norm of the relation's matrix in the SDT-RNN. Minus identity: norm of the "
    "difference from the identity, where training starts, apart from some noise. Means over the "
    "seeds, with 95% t intervals, for each seed's best snapshot on the development set.",
    "Edges: percent of all edges in the trees of the training captions. A relation with more edges "
    "has more training data.",
    f"The {SHOWN} largest norms, and the relations that the paper names. The CSV file has all.",
    "Reported: place of the relation in section 6.7 of Socher et al. (2014), which prints the "
    "passive auxiliary twice. Their parser differs, and so do some of its relations.",
]


def make(results: Results, stem: Path) -> None:
    """Write the relations' norms."""
    table = over_seeds(of_models(results))
    write_norms(stem, table, read_csv(results.reported_file("section_6_7")))


def norms(matrices: np.ndarray, relations: Sequence[str], edges: Sequence[int]) -> pd.DataFrame:
    """Compute the norms of one model's matrices, (R, size, size) in the order of the relations.

    Returns:
        The columns relation, edges, share (percent of all edges), norm and from_identity, the norm
        of the matrix minus the identity.
    """
    table = pd.DataFrame({"relation": list(relations), "edges": list(edges)})
    table["share"] = 100 * table["edges"] / table["edges"].sum()
    table["norm"] = np.linalg.norm(matrices, axis=(1, 2))
    table["from_identity"] = np.linalg.norm(matrices - np.eye(matrices.shape[1]), axis=(1, 2))
    return table


def of_models(results: Results) -> pd.DataFrame:
    """Compute the `norms` for every seed of each data set's SDT-RNN."""
    from groundvec.model.folder import ModelFolder
    from groundvec.model.network import load_model  # torch takes seconds to import

    tables = []
    for _, training in sdt_rnns(results.models).iterrows():
        epoch = best_snapshot(training)
        model = load_model(ModelFolder(training["folder"]), epoch)
        language = training["languages"][0]
        encoder: Any = model.captions[model.name_of(language)]
        text: Any = model.texts[language]
        # One matrix for each relation, in the order of `text.relations`.
        matrices = encoder.matrices.detach().numpy()
        labels = {name: training[name] for name in ("dataset", "model", "seed")}
        table = norms(matrices, text.relations, text.counts)
        tables.append(table.assign(**labels, epoch=epoch, size=matrices.shape[1]))
    return pd.concat(tables, ignore_index=True)


def over_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """Average the seeds: one row per data set and relation, the largest norm first."""
    rows = []
    keys = ["dataset", "model", "size", "relation"]
    for key, seeds in table.groupby(keys, sort=False):
        row = dict(zip(keys, key, strict=True)) | {"seeds": len(seeds)}
        row |= {name: seeds[name].mean() for name in ("edges", "share", "norm", "from_identity")}
        for name in ("norm", "from_identity"):
            row[f"{name}_low"], row[f"{name}_high"] = t_interval(seeds[name])
        rows.append(row)
    means = pd.DataFrame(rows)
    # `first` breaks ties by the order of rows, so that places are unique.
    place = means.groupby("dataset")["norm"].rank(ascending=False, method="first").astype(int)
    means = sorted_by(means.assign(place=place), ["dataset", "place"])
    values = [f"{name}{end}" for name in ("norm", "from_identity") for end in ("", "_low", "_high")]
    return means[[*keys, "place", "seeds", "edges", "share", *values]].reset_index(drop=True)


def write_norms(stem: Path, table: pd.DataFrame, reported: pd.DataFrame) -> None:
    """Write the result of `over_seeds`."""
    printed = reported.groupby("relation")["place"].agg(lambda p: ", ".join(f"{n:.0f}" for n in p))
    table = table.assign(reported=table["relation"].map(printed))
    top_relations = table[(table["place"] <= SHOWN) | table["reported"].notna()]
    text = top_relations[["place", "relation", "reported"]].astype({"place": str}).fillna(MISSING)
    text["norm"] = column_with_interval(top_relations, "norm", 2)
    text["minus identity"] = column_with_interval(top_relations, "from_identity", 2)
    text["edges (%)"] = decimals(top_relations["share"], 2)
    title = "Relations by the Frobenius norm of their matrix in the SDT-RNN."
    groups = top_relations["dataset"].replace(NAMES) + ": " + top_relations["model"]
    write_table(stem, table, text, "rlrrrr", title, NOTES, groups)
