"""Compute how similar two sentences are, or the sentences of two files.

With --files, the first lines are compared, then the second lines, and so on: one number per line.
The number is the model's own similarity, mostly the cosine: 1 for equal sentences, and around 0 for
unrelated ones.

Examples:
  groundvec similarity "A dog runs on the beach." "A puppy plays in the sand."
  groundvec similarity --files first.txt second.txt > similarities.txt
"""

import argparse
from pathlib import Path

from groundvec.cli.arguments import add_model, add_tokenized
from groundvec.cli.sentences import check_sentence, read_sentences
from groundvec.runtime.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec similarity`."""
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE", help="two sentences")
    parser.add_argument(
        "--files",
        type=Path,
        nargs=2,
        metavar="FILE",
        help="compare two text files instead, one sentence per line; - is standard input",
    )
    add_tokenized(parser)
    add_model(parser)


def main(arguments: argparse.Namespace) -> None:
    """Print the similarity of each pair of sentences."""
    expected = 0 if arguments.files else 2
    if len(arguments.sentences) != expected:
        raise InputError("give two sentences in quotation marks, or two files after --files")
    if arguments.files:
        first_file, second_file = arguments.files
        first = read_sentences(first_file)
        second = read_sentences(second_file)
        if len(first) != len(second):
            raise InputError(
                f"{first_file} has {len(first)} lines and {second_file} has {len(second)}: both "
                "need one line per pair"
            )
    else:
        for sentence in arguments.sentences:
            check_sentence(sentence, "use --files to compare files line by line")
        first = arguments.sentences[:1]
        second = arguments.sentences[1:]

    from groundvec import similarity
    from groundvec.encoder import SentenceEncoder

    encoder = SentenceEncoder(arguments.model, device=arguments.device)
    # Encoded together, so that there is one progress bar and a batch is as large as possible.
    vectors = encoder.encode(
        first + second,
        show_progress_bar=True,
        language=arguments.language,
        tokenized=arguments.tokenized,
    )
    measure = encoder.description["similarity"]
    near = similarity.of_pairs(vectors[: len(first)], vectors[len(first) :], measure)
    for number in near.tolist():
        print(f"{number:z.4f}")
