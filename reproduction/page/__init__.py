"""The page of a report: all that an experiment gave, in one file that needs no network."""
