"""The page of a report: all results of an experiment in one file, which needs no network."""
