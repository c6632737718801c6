r"""Re-rank lists of translations by trained models, and score the first of each list.

The lists may be from any system (docs/translation.md). Weights are tuned on the development lists
and applied to the test lists.

Example:
  python scripts/rerank.py --system weak --dev dev.20.nbest.gz --test test.20.nbest.gz \
      --pairs results/datasets/scenes/parallel.csv --source en --target de \
      --features results/features/scenes/efficientnet_lite0.h5 \
      --models results/demo/models/both-languages/MLMME-0.5/seed1 --output reranked.csv \
      --output-translations translations.csv --output-weights weights.csv
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli.arguments import at_least
from groundvec.cli.program import run
from reproduction.arguments import make_parser

parser = make_parser(
    __doc__, "pairs source target features threads", "the CSV of the scores to write"
)
parser.add_argument(
    "--system", required=True, help="the name of the translation system, for results"
)
parser.add_argument("--dev", type=Path, required=True, help="lists of the development split")
parser.add_argument("--test", type=Path, required=True, help="lists of the test split")
parser.add_argument(
    "--n", type=at_least(1), help="the length of the lists, for results (default: theirs)"
)
parser.add_argument(
    "--models", type=Path, nargs="*", default=[], help="the folders of trainings to re-rank by"
)
parser.add_argument(
    "--output-translations", type=Path, required=True, help="the CSV of all first ones"
)
parser.add_argument("--output-weights", type=Path, required=True, help="the CSV of the weights")


def main(arguments: argparse.Namespace) -> None:
    from functools import partial

    import pandas as pd

    from groundvec.device import choose
    from groundvec.features import store
    from groundvec.provenance import provenance
    from groundvec.results.frames import write
    from groundvec.runtime.errors import InputError
    from reproduction.schemas import Reranked, RerankWeights, Translations
    from reproduction.sources import parallel
    from reproduction.translation import nbest, rerank

    device = choose(threads=arguments.threads)
    languages = (arguments.source, arguments.target)
    splits = []
    for split, path in (("dev", arguments.dev), ("test", arguments.test)):
        table = parallel.read(arguments.pairs, split, arguments.source, arguments.target)
        splits.append(rerank.judged(nbest.read(path, len(table)), table))
    dev, test = splits
    if list(dev.lists.features) != list(test.lists.features):
        raise InputError(
            f"{arguments.test} has other features than {arguments.dev}: write both lists with the "
            "same system"
        )
    read_features = partial(store.read, arguments.features)
    features, against = rerank.similarities_of(
        arguments.models, dev, test, read_features, languages, device
    )
    rerankers = rerank.rerank(dev, test, features)
    rows, translations = rerank.scored(test, rerankers, against, arguments.target)
    n = arguments.n or int((test.lists.starts[1:] - test.lists.starts[:-1]).max())
    labels = {"n_best": n, "system": arguments.system}
    scores = pd.DataFrame([labels | row | provenance(device) for row in rows])
    write(arguments.output, scores, Reranked)
    write(arguments.output_translations, translations, Translations)
    weights = [
        labels | {"reranker": name, "feature": feature, "weight": weight}
        for name, reranker in rerankers.items()
        for feature, weight in reranker.weights.items()
    ]
    columns = [*labels, "reranker", "feature", "weight"]
    write(arguments.output_weights, pd.DataFrame(weights, columns=columns), RerankWeights)
    for row in rows[: len(rerankers)]:  # BLEU comes first
        logging.info(
            "%s, %d-best: %s BLEU %.1f", arguments.system, n, row["reranker"], row["score"]
        )


if __name__ == "__main__":
    run(main, parser)
