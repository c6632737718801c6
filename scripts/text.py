r"""Build the vocabulary of a text from a data set's training captions.

It has their characters or words; a text of trees may also have vectors of words.

Examples:
  python scripts/text.py --text '{name: characters}' --languages en \
      --captions results/datasets/scenes/captions.csv \
      --output results/text/scenes/characters.en.json
  python scripts/text.py --text '{name: trees, dimension: 100}' --captions captions.csv \
      --treebanks trees.conllu.gz --output trees.json
"""

import argparse
import logging

from groundvec.cli.program import run
from groundvec.config import parts
from groundvec.data import dataset
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_json
from reproduction.arguments import make_parser

parser = make_parser(__doc__, "text captions treebanks", "the JSON file to write")
parser.add_argument(
    "--languages", nargs="+", default=["en"], help="the captions' languages (default: en)"
)


def main(arguments: argparse.Namespace) -> None:
    import pandas as pd

    captions = pd.concat(
        [dataset.read_captions(arguments.captions, language) for language in arguments.languages]
    )
    text_class = parts.find("text", arguments.text["name"])
    treebank = parts.treebank(arguments.text, arguments.treebanks)
    training = captions.query("split == 'train'")["caption"]
    if training.empty:
        raise InputError(
            f"{arguments.captions} has no train captions in {' or '.join(arguments.languages)}: "
            "write some, or choose another language"
        )
    options = parts.options(arguments.text)
    if treebank:
        options["treebank"] = treebank
    text = text_class.build(training, **options)
    # A text with word vectors packs them too; `as_dict` leaves them out.
    content = text.packed() if hasattr(text, "packed") else text.as_dict()
    write_json(arguments.output, content)
    logging.info("%s: %d different indices", arguments.text["name"], len(text))


if __name__ == "__main__":
    run(main, parser)
