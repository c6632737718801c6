"""Translate the sentences of one split: a list of the best translations of each."""

import argparse
import logging
from pathlib import Path

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/translate.py --model my-translator --n 20 --split dev "
    "--pairs results/datasets/scenes/parallel.csv --output dev.20.nbest.gz",
)
parser.add_argument("--model", type=Path, required=True, help="what scripts/translator.py wrote")
parser.add_argument("--pairs", type=Path, required=True, help="a data set's parallel.csv")
parser.add_argument("--split", choices=["dev", "test"], required=True, help="what to translate")
parser.add_argument("--n", type=int, required=True, help="how many translations of a sentence")
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--device", choices=["cpu", "cuda"], help="(default: cuda where there is one)")
parser.add_argument("--output", type=Path, required=True, help="the lists to write (.gz or not)")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.device import choose
    from groundvec.runtime.files import check_output
    from groundvec.translation import beam, model, nbest, pairs
    from groundvec.translation.vocabulary import tokenise

    check_output(arguments.output)
    device = choose(arguments.device, arguments.threads)
    translator, source, target = model.load(arguments.model, device)
    table = pairs.read(arguments.pairs, arguments.split, source.language, target.language)
    encoded = source.encode(tokenise(table["source"]))
    lists = beam.translate(translator, encoded, target, arguments.n, progress=True)
    nbest.write(arguments.output, lists)
    logging.info("%d translations of %d sentences", len(lists.hypotheses), len(table))


if __name__ == "__main__":
    run(main, parser)
