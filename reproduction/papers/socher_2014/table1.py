"""Table 1 of Socher et al. (2014): mean ranks of all systems that are not in Table 2."""

from functools import partial

from reproduction.papers.socher_2014.retrieval import write_ranks

TITLE = "Mean ranks: sentence similarity, image search, and describing images."
make = partial(write_ranks, squared=False, title=TITLE)
