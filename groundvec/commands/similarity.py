"""Say how similar two sentences are, or those of two files.

Of two files, the first lines are compared, then the second lines, and so on: a number a line. It is
the model's own measure, which for most is the cosine: 1 for the same sentence, and around 0 for two
that have nothing to do with each other.

Examples:
  groundvec similarity "A dog runs on the beach." "A puppy plays in the sand."
  groundvec similarity first.txt second.txt > similarities.txt
"""

import argparse
import os
from pathlib import Path

from groundvec.commands import common
from groundvec.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `similarity` reads from its command line."""
    parser.add_argument("a", metavar="A", help="a sentence, or a text file with a sentence a line")
    parser.add_argument("b", metavar="B", help="another one")
    common.add_tokenised(parser)
    common.add_model(parser)


def main(arguments: argparse.Namespace) -> None:
    """Compare two sentences, or two files line by line."""
    given = (arguments.a, arguments.b)
    # Path.is_file fails on long sentences.
    of_files = [os.path.isfile(name) for name in given]  # noqa: PTH113
    if any(of_files):
        if not all(of_files):
            raise InputError(f"{given[of_files.index(False)]} is no file: give two, or none")
        a, b = (common.read_lines(Path(name)) for name in given)
        if len(a) != len(b):
            raise InputError(
                f"{arguments.a} has {len(a)} lines and {arguments.b} has {len(b)}: they must have "
                "as many, a pair a line"
            )
    else:
        a, b = [[sentence] for sentence in given]

    from groundvec import similarity
    from groundvec.encoder import SentenceEncoder

    encoder = SentenceEncoder.load(arguments.model, device=arguments.device)
    vectors = encoder.encode(
        a + b, show_progress=True, language=arguments.language, tokenised=arguments.tokenised
    )
    measure = encoder.description["similarity"]
    for near in similarity.of_pairs(vectors[: len(a)], vectors[len(a) :], measure).tolist():
        print(f"{near:.4f}")
