"""docs/socher-2014.md: systems that read dependency trees, and the systems to compare with."""

import pandas as pd

from docs.pages.tables import comparisons, markdown
from groundvec.card.text import MISSING
from reproduction.papers.socher_2014.labels import HINGE, MARGIN, SQUARED
from reproduction.papers.socher_2014.reported import OF_CCA
from reproduction.reporting.claims import counted
from reproduction.reporting.systems import sorted_by

OBJECTIVES = [MARGIN, HINGE, SQUARED, *OF_CCA.values()]
DATASETS = {"flickr8k-1000": "draws", "flickr8k": "all of Flickr8k"}


def verdicts() -> str:
    """Write how many comparisons of each claim and objective hold, by data set."""
    table = comparisons("dt-rnn/claims").rename(columns={"condition": "objective"})
    table = sorted_by(table, ["claim", "objective"], {"objective": OBJECTIVES})
    rows = ["claim", "objective"]
    text = (
        counted(table["verdict"], [table[name] for name in (*rows, "dataset")])
        .unstack("dataset")
        .fillna(MISSING)
    )
    text = text.loc[pd.MultiIndex.from_frame(table[rows].drop_duplicates()), list(DATASETS)]
    seeds = table.groupby("dataset")["seeds"].first()
    trainings = seeds.map("seeds: {}".format).replace("seeds: 1", "one training")
    text.columns = [f"{label}, {trainings[dataset]}" for dataset, label in DATASETS.items()]
    # The paper's numbers, once for all data sets and for its only DT-RNN.
    in_paper = ~(table["better"] + table["worse"]).str.contains("collapsed|centered")
    reported = table[table["dataset"].eq("flickr8k") & in_paper].dropna(subset="reported")
    supports = reported.assign(reported=reported["reported"] > 0).groupby(rows)["reported"]
    counts = supports.sum().astype(str) + " of " + supports.size().astype(str)
    text.insert(0, "the paper's numbers", counts.reindex(text.index).fillna(MISSING))
    return markdown(text.reset_index(), 5)
