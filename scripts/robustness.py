r"""Measure what mistakes in sentences do to a system: typing errors, case, missing spaces.

Writes a row for each kind of mistake, rate and measure: the agreement of cosines with people's
ratings, and for a trained model the recall of retrieval among a data set's test images.

Examples:
  python scripts/robustness.py --trained my-model --ratings ratings.csv \
      --captions results/datasets/flickr8k/captions.csv \
      --features results/features/flickr8k/resnet152.h5 --output robustness.csv
  python scripts/robustness.py --name trigrams --baseline '{encoder: trigrams}' \
      --ratings ratings.csv --output trigrams.csv
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.cli.arguments import SHARED, make_parser
from groundvec.cli.program import run

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

shared = "name? ratings tokenized captions? features? threads"
parser = make_parser(__doc__, shared, "the CSV to write")
system = parser.add_mutually_exclusive_group(required=True)
system.add_argument("--trained", type=Path, help="the folder of a training")
system.add_argument("--baseline", **SHARED["baseline"])


def main(arguments: argparse.Namespace) -> None:
    import pandas as pd

    from groundvec.baselines import load
    from groundvec.data.ratings import read_ratings
    from groundvec.evaluation.robustness import of_ratings
    from groundvec.provenance import provenance
    from groundvec.results.frames import write
    from groundvec.results.schemas import Robustness

    ratings = read_ratings(arguments.ratings)
    if arguments.baseline:
        encoder = load(**arguments.baseline)
        rows, device = of_ratings(ratings, encoder.encode), encoder.device
        labels = dict.fromkeys(("dataset", "model", "seed", "configuration"), "")
        labels |= {"system": arguments.name or arguments.baseline["encoder"]}
    else:
        rows, labels, device = of_model(arguments, ratings)
    write(arguments.output, pd.DataFrame(rows).assign(**labels, **provenance(device)), Robustness)


def of_model(
    arguments: argparse.Namespace, ratings: "pd.DataFrame"
) -> tuple[list[dict[str, Any]], dict[str, Any], str]:
    """Compute the rows of a trained model's ensemble, its labels and the device."""
    from functools import partial

    from groundvec.data.split import captions_of, load_split
    from groundvec.device import choose
    from groundvec.encoder import SentenceEncoder
    from groundvec.evaluation import robustness
    from groundvec.evaluation.ratings import LANGUAGE, stopped, system_name
    from groundvec.features import store
    from groundvec.model.folder import read_description
    from groundvec.model.network import encode_images, load_ensemble
    from groundvec.runtime.errors import InputError

    if (arguments.captions is None) != (arguments.features is None):
        raise InputError("--captions and --features go together: give both, or none of them")
    device = choose(threads=arguments.threads)
    about = read_description(arguments.trained)
    models = load_ensemble(arguments.trained, device=device)
    encoder = SentenceEncoder(models)
    encode = partial(encoder.encode, tokenized=True)  # as the files have them

    def encode_rated(sentences: list[str]) -> "np.ndarray":
        given = list(map(stopped, sentences)) if arguments.tokenized else sentences
        return encode(given, language=LANGUAGE)

    rows = robustness.of_ratings(ratings, encode_rated)
    if arguments.captions:
        captions = captions_of(about, arguments.captions)
        read_features = partial(store.read, arguments.features)
        split = load_split(captions, "test", read_features, models[0].texts)
        own, kind = split.captions[encoder.languages[0]], about["description"]["similarity"]
        images = encode_images(models, split.features)
        rows += robustness.of_retrieval(own.texts, own.image, images, encode, kind)
    labels = {name: about[name] for name in ("dataset", "model", "seed")}
    labels |= {"system": system_name(**labels), "configuration": about["key"]}
    return rows, labels, device


if __name__ == "__main__":
    run(main, parser)
