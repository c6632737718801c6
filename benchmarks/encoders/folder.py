r"""Rate searches in a folder of pictures that have texts.

Each text should find its picture. Intervals (95%) are by a bootstrap over texts.

Example:
  python benchmarks/encoders/folder.py texts.csv --pictures photos flickr8k-v6 -o folder.csv \
      --among data/flickr8k/Flicker8k_Dataset
"""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec import Index
from groundvec.cli.program import run
from groundvec.evaluation import bootstrap
from groundvec.runtime.errors import InputError
from reproduction.arguments import make_parser
from reproduction.render.tables import write_numbers

CUTOFFS = (1, 5, 10)


def rank(index: Index, texts: pd.DataFrame, language: str) -> np.ndarray:
    """Return the rank of the best picture of each text."""
    ranks = []
    for text, files in texts.groupby(language)["file"]:
        hits = []
        with suppress(InputError):  # too few words that the model knows
            hits = index.search(str(text), len(index.paths), language)
        places = [place for place, hit in enumerate(hits, 1) if hit.path.name in set(files)]
        # A copy of another picture in the folder is left out of the hits.
        ranks.append(min(places, default=len(index.paths)))
    return np.array(ranks)


def scores(arguments: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Yield recalls by each encoder, language and cutoff."""
    texts = pd.read_csv(arguments.texts, dtype=str)
    languages = [name for name in ("en", "de") if name in texts]
    if "file" not in texts or not languages:
        raise InputError(f"{arguments.texts} needs the columns file, and en or de: add them")
    pictures = [arguments.pictures / file for file in texts["file"].unique()]
    if arguments.among:
        pictures.append(arguments.among)
    for encoder in arguments.encoders:
        index = Index(pictures, model=encoder)
        for language in languages:
            ranks = rank(index, texts.dropna(subset=[language]), language)
            times = bootstrap.draws(len(ranks), np.random.default_rng(0))
            hits = np.array([100 * (ranks <= cutoff) for cutoff in CUTOFFS])
            recalls = bootstrap.mean(hits, np.ones_like(hits), times)
            for cutoff, recall in zip(CUTOFFS, recalls, strict=True):
                low, high = bootstrap.interval(recall)
                yield {
                    "encoder": Path(encoder).name,
                    "language": language,
                    "texts": len(ranks),
                    "pictures": len(index.paths),
                    "cutoff": cutoff,
                    "recall": recall[0],
                    "low": low,
                    "high": high,
                }


def main(arguments: argparse.Namespace) -> None:
    table = pd.DataFrame(scores(arguments))
    print(table.round(1).to_string(index=False))
    write_numbers(arguments.output, table)


if __name__ == "__main__":
    parser = make_parser(__doc__, output="the CSV to write")
    parser.add_argument("texts", type=Path, help="a CSV with the columns file, and en or de")
    parser.add_argument("encoders", nargs="+", help="names or folders of encoders")
    parser.add_argument("--pictures", type=Path, required=True, help="the folder of the files")
    parser.add_argument("--among", type=Path, help="a folder of further pictures")
    run(main, parser)
