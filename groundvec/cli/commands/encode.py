"""Turn sentences, one per line, into vectors, one per row.

The output's ending chooses its format:

  .npy      an array of floats, (sentences, size), for numpy.load
  .csv      one line per sentence, comma-separated numbers; the format of standard output too
  .parquet  a table with the columns `sentence` and `vector`

An empty line is refused. Vectors are written as they are computed, so that memory hardly grows with
their number.

Examples:
  groundvec encode sentences.txt -o vectors.npy
  groundvec encode sentences.txt -o vectors.npy --dtype float16
  groundvec encode sentences.txt -o vectors.parquet --model results/demo/models/few-scenes/BoW/seed1
  echo "A dog runs on the beach." | groundvec encode > vectors.csv
"""

import argparse
import ctypes
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from groundvec.cli.arguments import STANDARD, add_model, add_output, add_tokenized
from groundvec.cli.program import show
from groundvec.cli.sentences import read_sentences
from groundvec.runtime import files
from groundvec.runtime.errors import extra

if TYPE_CHECKING:
    import numpy as np

    from groundvec.encoder import SentenceEncoder

    Blocks = Iterator[tuple[list[str], np.ndarray]]  # up to BLOCK sentences, and their vectors

BLOCK = 1024  # sentences that are encoded and written together: 8 MB of vectors of size 2,048


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec encode`."""
    parser.add_argument(
        "sentences",
        type=Path,
        nargs="?",
        default=STANDARD,
        metavar="SENTENCES",
        help="a text file, one sentence per line (default: standard input)",
    )
    add_output(parser, [".npy", ".csv", ".parquet"], "the file to write (default: standard output)")
    parser.add_argument(
        "--normalize",
        action="store_true",
        help="normalize the vectors; most models return unit vectors anyway",
    )
    parser.add_argument(
        "--dtype",
        choices=["float32", "float16"],
        default="float32",
        help="type of the numbers; float16 takes half the space (default: %(default)s)",
    )
    add_tokenized(parser)
    add_model(parser)


def main(arguments: argparse.Namespace) -> None:
    """Encode the lines of a file."""
    sentences = read_sentences(arguments.sentences)

    from groundvec.encoder import SentenceEncoder

    encoder = SentenceEncoder(arguments.model, device=arguments.device)
    blocks = _encode(encoder, sentences, arguments)
    if arguments.output == STANDARD:
        # Not sys.stdout.buffer: with PYTHONUNBUFFERED it may write only a part of the bytes.
        with open(sys.stdout.fileno(), "wb", closefd=False) as output:
            _write_csv(output, blocks)
        return
    with files.atomic(arguments.output) as temporary:
        ending = temporary.suffix.lower()
        if ending == ".parquet":
            _write_parquet(temporary, blocks, encoder.dim, arguments.dtype)
        else:
            with temporary.open("wb") as output:
                if ending == ".csv":
                    _write_csv(output, blocks)
                else:
                    _write_npy(output, blocks, (len(sentences), encoder.dim), arguments.dtype)
    show(f"written: {arguments.output}")


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
            _free_memory()


def _free_memory() -> None:
    """Return freed memory to the system.

    Batches of many sizes leave gaps in the heap: 0.5 GB after 100,000 sentences.
    """
    with suppress(OSError, AttributeError):  # only glibc has this function
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _write_npy(output: IO[bytes], blocks: "Blocks", shape: tuple[int, int], dtype: str) -> None:
    """Write an array block by block.

    Not through a memory map: on a full disk, the system would kill the program without a message.
    """
    import numpy as np

    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(output, header)
    for _, vectors in blocks:
        output.write(vectors.tobytes())


def _write_csv(output: IO[bytes], blocks: "Blocks") -> None:
    """Write a line of numbers per vector, block by block, so that a reader need not wait."""
    for _, vectors in blocks:
        lines = [",".join(map(str, vector)) + "\n" for vector in vectors]
        output.write("".join(lines).encode())
        output.flush()


def _write_parquet(path: Path, blocks: "Blocks", size: int, dtype: str) -> None:
    """Write a table of sentences and vectors; Polars asks for block after block."""
    with extra("parquet"):
        import polars
        from polars.io.plugins import register_io_source

    number = {"float32": polars.Float32, "float16": polars.Float16}[dtype]
    schema: dict[str, Any] = {"sentence": polars.String, "vector": polars.Array(number, size)}

    def frames(*_: object) -> Iterator["polars.DataFrame"]:
        for sentences, vectors in blocks:
            yield polars.DataFrame({"sentence": sentences, "vector": vectors}, schema=schema)

    register_io_source(frames, schema=schema).sink_parquet(path, row_group_size=BLOCK)
