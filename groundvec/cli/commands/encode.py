"""Turn sentences, one a line, into vectors, one a row.

The form of the output is that of its ending:

  .npy      an array of floats, (sentences, size), for numpy.load
  .csv      one line per sentence, its numbers with commas between them; so is standard output
  .parquet  a table with the columns `sentence` and `vector`

An empty line is the empty sentence, and has a vector too. Vectors are written as they are computed,
so that memory hardly grows with their number.

Examples:
  groundvec encode sentences.txt -o vectors.npy
  groundvec encode sentences.txt -o vectors.npy --dtype float16
  groundvec encode sentences.txt -o vectors.parquet --model results/demo/models/few-scenes/BoW/seed1
  echo "A dog runs on the beach." | groundvec encode > vectors.csv
"""

import argparse
import ctypes
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from groundvec.cli.commands import common
from groundvec.runtime import files
from groundvec.runtime.errors import extra

if TYPE_CHECKING:
    import numpy as np

    from groundvec.encoder import SentenceEncoder

    Blocks = Iterator[tuple[list[str], np.ndarray]]  # some sentences, and their vectors

BLOCK = 1024  # sentences that are encoded, and written, at a time


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `encode` reads from its command line."""
    parser.add_argument(
        "sentences",
        type=Path,
        nargs="?",
        default=common.STANDARD,
        metavar="SENTENCES",
        help="a text file, one sentence per line (default: standard input)",
    )
    common.add_output(
        parser, [".npy", ".csv", ".parquet"], "the file to write (default: standard output)"
    )
    parser.add_argument(
        "--normalize",
        action="store_true",
        help="normalise the vectors; most models return unit vectors anyway",
    )
    parser.add_argument(
        "--dtype",
        choices=["float32", "float16"],
        default="float32",
        help="of the numbers; float16 is half as large (default: %(default)s)",
    )
    common.add_tokenized(parser)
    common.add_model(parser)


def main(arguments: argparse.Namespace) -> None:
    """Encode the lines of a file."""
    files.check_output(arguments.output)
    sentences = common.read_lines(arguments.sentences)

    from groundvec.encoder import SentenceEncoder

    encoder = SentenceEncoder(arguments.model, device=arguments.device)
    blocks = _encode(encoder, sentences, arguments)
    if arguments.output == common.STANDARD:
        # Not sys.stdout.buffer: under PYTHONUNBUFFERED it may write a part only.
        with open(sys.stdout.fileno(), "wb", closefd=False) as output:
            _write_csv(output, blocks)
        return
    with files.atomic(arguments.output) as temporary:
        ending = temporary.suffix.lower()
        if ending == ".parquet":
            _write_parquet(temporary, blocks, encoder.dim, arguments.dtype)
            return
        with temporary.open("wb") as output:
            if ending == ".csv":
                _write_csv(output, blocks)
            else:
                _write_npy(output, blocks, (len(sentences), encoder.dim), arguments.dtype)


def _encode(
    encoder: "SentenceEncoder", sentences: list[str], arguments: argparse.Namespace
) -> "Blocks":
    """Yield blocks of sentences with their vectors; at least one block, which may be empty."""
    from groundvec.runtime.progress import Progress

    with Progress(total=len(sentences), desc="encoding", unit="sentences") as bar:
        for start in range(0, max(len(sentences), 1), BLOCK):
            block = sentences[start : start + BLOCK]
            vectors = encoder.encode(
                block,
                normalize_embeddings=arguments.normalize,
                language=arguments.language,
                tokenized=arguments.tokenized,
            )
            yield block, vectors.astype(arguments.dtype)
            bar.update(len(block))
            _give_memory_back()


def _give_memory_back() -> None:
    """Return the gaps that batches of many sizes leave in the heap: 0.5 GB in 100,000 sentences."""
    with suppress(OSError, AttributeError):  # only glibc has this
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _write_npy(output: IO[bytes], blocks: "Blocks", shape: tuple[int, int], dtype: str) -> None:
    """Write block by block: on a full disk a memory map would end the program without a word."""
    import numpy as np

    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(output, header)
    for _, vectors in blocks:
        output.write(vectors.tobytes())


def _write_csv(output: IO[bytes], blocks: "Blocks") -> None:
    for _, vectors in blocks:
        output.write("".join(",".join(map(str, row)) + "\n" for row in vectors).encode())
        output.flush()


def _write_parquet(path: Path, blocks: "Blocks", size: int, dtype: str) -> None:
    with extra("parquet"):
        import polars
        from polars.io.plugins import register_io_source

    number = {"float32": polars.Float32, "float16": polars.Float16}[dtype]
    schema: dict[str, Any] = {"sentence": polars.String, "vector": polars.Array(number, size)}

    def frames(*_: object) -> Iterator["polars.DataFrame"]:
        for sentences, vectors in blocks:
            yield polars.DataFrame({"sentence": sentences, "vector": vectors}, schema=schema)

    try:
        register_io_source(frames, schema=schema).sink_parquet(path, row_group_size=BLOCK)
    except polars.exceptions.PolarsError as error:
        if code := re.search(r"os error (\d+)", str(error)):  # such as a full disk
            raise OSError(int(code[1]), os.strerror(int(code[1])), str(path)) from None
        raise
