"""Sample retrievals by the first seed of the SDT-RNN, the better of the two (Socher et al. 2014).

Their Figure 6 is of the DT-RNN.
"""

from pathlib import Path

from reproduction.papers.socher_2014.labels import trained_as
from reproduction.render.pictures import paths_of
from reproduction.render.samples import samples
from reproduction.render.style import save
from reproduction.reporting.embedded import embed, given_treebank, of_one
from reproduction.reporting.results import Results


def make(results: Results, stem: Path) -> None:
    """Draw retrievals by the SDT-RNN from one data set's test set."""
    about = of_one(trained_as(results.models, "SDT-RNN")).iloc[0]
    found = embed(results, about, treebank=given_treebank(results))
    save(samples(found, paths_of(results, found.image_ids)), stem)
