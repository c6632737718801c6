"""Sentences and their translations, which translation learns from: parallel.csv."""

from pathlib import Path

from groundvec.data.dataset import SPLITS, refuse
from groundvec.results import frames
from groundvec.results.schemas import Parallel

COLUMNS = list(frames.schema_of(Parallel).columns)


def write(path: str | Path, pairs: Parallel) -> None:
    """Check pairs and write them; InputError names the first that is not whole."""
    pairs = pairs[COLUMNS].reset_index(drop=True)
    pairs["row"] = pairs.index + 2  # of the file
    refuse(pairs[~pairs.split.isin(SPLITS)], f"{path} line {{row}}{{more}}: no split {{split!r}}")
    for language in ("en", "de"):
        refuse(
            pairs[pairs[language].str.strip() == ""],
            f"{path} line {{row}}{{more}}: there is no sentence in {language}; write one or leave "
            "the pair out",
        )
    frames.write(path, pairs[COLUMNS], Parallel)
