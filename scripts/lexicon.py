r"""Make the lexicon of a model: the classes of ImageNet that words stand for.

English words come from WordNet, German ones from a table of this project. A word counts less, the
more training captions have it.

Example:
  python scripts/lexicon.py --captions results/datasets/flickr8k/captions.csv \
      --wordnet data/wordnet/wordnet --output results/lexicon/flickr8k.safetensors
"""

import argparse
import logging
from pathlib import Path

import reproduction  # noqa: F401, makes the study's parts known
from groundvec.cli.program import run
from reproduction.arguments import make_parser

parser = make_parser(__doc__, "captions", "the file to write")
parser.add_argument(
    "--wordnet",
    type=Path,
    required=True,
    help="the folder with WordNet 3.0: data.noun, index.noun and noun.exc",
)


def main(arguments: argparse.Namespace) -> None:
    from safetensors.numpy import save

    from groundvec.data.dataset import MORE, read_captions
    from groundvec.runtime.files import write_bytes
    from reproduction.lexicon.lexicon import make
    from reproduction.lexicon.wordnet import read

    captions = read_captions(arguments.captions)
    training = captions.query(f"split in {['train', MORE]}")
    languages = {
        str(language): rows["caption"].tolist()
        for language, rows in training.groupby("language", sort=False)
    }
    arrays = make(read(arguments.wordnet), languages)
    data = save(arrays)
    write_bytes(arguments.output, data)
    logging.info("%d sets of classes, %d bytes", len(arrays["starts"]) - 1, len(data))


if __name__ == "__main__":
    run(main, parser)
