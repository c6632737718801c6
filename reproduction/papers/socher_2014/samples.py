"""Draw sample retrievals by the first seed of the SDT-RNN (Socher et al. 2014).

Figure 6 of the paper shows the DT-RNN. The SDT-RNN is the better of the two.
"""

from pathlib import Path

from reproduction.papers.socher_2014.labels import sdt_rnns
from reproduction.render.samples import samples
from reproduction.render.style import save
from reproduction.reporting.embedded import check_one_dataset, embed, given_treebank, paths_of
from reproduction.reporting.results import Results


def make(results: Results, stem: Path) -> None:
    """Draw retrievals by the SDT-RNN from one data set's test set."""
    training = check_one_dataset(sdt_rnns(results.models)).iloc[0]
    embedded = embed(results, training, treebank=given_treebank(results))
    save(samples(embedded, paths_of(results, embedded.image_ids)), stem)
