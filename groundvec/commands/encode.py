"""Turn sentences, one a line, into vectors, one a row.

The form of the output is that of its ending:

  .npy      an array of 32-bit floats, (sentences, size), for numpy.load
  .csv      a line a sentence, its numbers with commas between them; so is standard output
  .parquet  a table with the columns `sentence` and `vector`

An empty line is the empty sentence, and has a vector too.

Examples:
  groundvec encode sentences.txt -o vectors.npy
  groundvec encode sentences.txt -o vectors.parquet --model results/demo/models/few-scenes/BoW/seed1
  echo "A dog runs on the beach." | groundvec encode > vectors.csv
"""

import argparse
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groundvec import files
from groundvec.commands import common
from groundvec.errors import extra

if TYPE_CHECKING:
    import numpy as np


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `encode` reads from its command line."""
    parser.add_argument(
        "sentences",
        type=Path,
        nargs="?",
        default=common.STANDARD,
        metavar="SENTENCES",
        help="a text file, a sentence a line (default: standard input)",
    )
    common.add_output(
        parser, [".npy", ".csv", ".parquet"], "the file to write (default: standard output)"
    )
    parser.add_argument(
        "--normalize",
        action="store_true",
        help="bring the vectors to unit length; those of most models are",
    )
    common.add_tokenised(parser)
    common.add_model(parser)


def main(arguments: argparse.Namespace) -> None:
    """Encode the lines of a file."""
    files.check_output(arguments.output)
    sentences = common.read_lines(arguments.sentences)

    from groundvec.encoder import SentenceEncoder

    vectors = SentenceEncoder.load(arguments.model, device=arguments.device).encode(
        sentences,
        show_progress=True,
        normalize=arguments.normalize,
        language=arguments.language,
        tokenised=arguments.tokenised,
    )
    if arguments.output == common.STANDARD:
        # Not sys.stdout.buffer: under PYTHONUNBUFFERED it may write a part only.
        with open(sys.stdout.fileno(), "wb", closefd=False) as output:
            output.write(_as_file(sentences, vectors, ".csv"))
    else:
        data = _as_file(sentences, vectors, arguments.output.suffix.lower())
        files.write_bytes(arguments.output, data)


def _as_file(sentences: list[str], vectors: "np.ndarray", ending: str) -> memoryview:
    """The bytes of a file of vectors (sentences, size)."""
    data = io.BytesIO()
    if ending == ".npy":
        import numpy as np

        np.save(data, vectors)
    elif ending == ".csv":
        import pandas as pd

        pd.DataFrame(vectors).to_csv(data, header=False, index=False, lineterminator="\n")
    else:
        with extra("parquet"):
            import polars

        polars.DataFrame({"sentence": sentences, "vector": vectors}).write_parquet(data)
    return data.getbuffer()
