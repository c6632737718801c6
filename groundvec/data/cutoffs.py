"""The cut-offs of recall: R@1, R@5 and R@10."""

CUTOFFS = (1, 5, 10)
