"""Say how similar two sentences are, or those of two files.

With --files, the first lines are compared, then the second lines, and so on: a number a line. It is
the model's own measure, which for most is the cosine: 1 for the same sentence, and around 0 for two
that have nothing to do with each other.

Examples:
  groundvec similarity "A dog runs on the beach." "A puppy plays in the sand."
  groundvec similarity --files first.txt second.txt > similarities.txt
"""

import argparse
from pathlib import Path

from groundvec.cli.commands import common
from groundvec.runtime.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE", help="two of them")
    parser.add_argument(
        "--files",
        type=Path,
        nargs=2,
        metavar="FILE",
        help="compare two text files instead, one sentence per line; - is standard input",
    )
    common.add_tokenized(parser)
    common.add_model(parser)


def main(arguments: argparse.Namespace) -> None:
    if len(arguments.sentences) != (0 if arguments.files else 2):
        raise InputError("give two sentences in quotation marks, or two files after --files")
    if arguments.files:
        a, b = map(common.read_lines, arguments.files)
        if len(a) != len(b):
            one, other = arguments.files
            raise InputError(
                f"{one} has {len(a)} lines and {other} has {len(b)}: both need one line per pair"
            )
    else:
        for sentence in arguments.sentences:
            common.check_sentence(sentence, "use --files to compare files line by line")
        a, b = [[sentence] for sentence in arguments.sentences]

    from groundvec import similarity
    from groundvec.encoder import SentenceEncoder

    encoder = SentenceEncoder(arguments.model, device=arguments.device)
    vectors = encoder.encode(
        a + b, show_progress_bar=True, language=arguments.language, tokenized=arguments.tokenized
    )
    measure = encoder.description["similarity"]
    for near in similarity.of_pairs(vectors[: len(a)], vectors[len(a) :], measure).tolist():
        print(f"{near:.4f}")
