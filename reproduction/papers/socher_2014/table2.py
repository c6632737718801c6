"""Table 2 of Socher et al. (2014): mean ranks with a squared error or Euclidean distances."""

from functools import partial

from reproduction.papers.socher_2014.retrieval import write_ranks

TITLE = "Mean ranks with a squared error or Euclidean distances."
make = partial(write_ranks, squared=True, title=TITLE)
