"""Score a trained model's ensemble, and each of its snapshots, on image-caption retrieval.

Beside them stand the scores that a random ranking is expected to have, as the model `chance`.
"""

import argparse
import logging
from itertools import product
from pathlib import Path

from groundvec.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/retrieval.py --dataset flickr8k --model my-model "
    "--captions results/datasets/flickr8k/captions.csv "
    "--features results/features/flickr8k/resnet152.h5 --output retrieval.csv",
)
parser.add_argument("--dataset", required=True, help="its name, for the first column")
parser.add_argument("--model", type=Path, required=True, help="the folder of a training")
parser.add_argument("--captions", type=Path, required=True, help="a data set's captions.csv")
parser.add_argument("--features", type=Path, required=True, help="HDF5 file of image features")
parser.add_argument("--folds", type=int, default=1, help="also the mean over parts (default: no)")
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--output", type=Path, required=True, help="the CSV to write")


def main(arguments: argparse.Namespace) -> None:
    import pandas as pd

    from groundvec.data import schema
    from groundvec.device import choose
    from groundvec.evaluation import retrieval
    from groundvec.files import write_csv
    from groundvec.models.model import ensemble, load_model, read_description, read_ensemble
    from groundvec.provenance import provenance
    from groundvec.training.pairs import load_pairs

    device = choose(threads=arguments.threads)
    description = read_description(arguments.model)
    together = read_ensemble(arguments.model)
    models = {e: load_model(arguments.model, e).to(device) for e in description["snapshots"]}
    vocabulary = models[together[0]].vocabulary
    captions = schema.read_captions(arguments.captions, description["language"])

    def score(split: str) -> list[pd.DataFrame]:
        pairs = load_pairs(captions, arguments.features, vocabulary, split)
        embedded = {
            epoch: (model.encode_captions(pairs.captions), model.encode_images(pairs.features))
            for epoch, model in models.items()
        }
        systems = [("chance", []), *(("snapshot", [epoch]) for epoch in models)]
        systems.append(("ensemble", together))
        tables = []
        for (system, epochs), folds in product(systems, sorted({1, arguments.folds})):
            labels = {
                "dataset": arguments.dataset,
                "cell": description["cell"],
                "seed": description["seed"],
                "model": system,
                "epochs": "+".join(map(str, epochs)),
                "split": split,
                "test_set": retrieval.test_set_name(len(pairs.features), folds),
            }
            if system == "chance":
                scores = retrieval.chance(pairs.image, folds)
            else:
                of_captions, of_images = (
                    ensemble([embedded[epoch][side] for epoch in epochs]) for side in (0, 1)
                )
                scores = retrieval.evaluate(of_captions, of_images, pairs.image, folds)
            tables.append(pd.DataFrame(labels, scores.index).join(scores))
        return tables

    # One split after the other: eight snapshots' embeddings of MSCOCO's 25,000 captions are 2 GB.
    tables = [*score("dev"), *score("test")]
    source = {"configuration": description["key"], **provenance(device)}
    write_csv(arguments.output, pd.concat(tables).assign(**source))
    for row in tables[-1].to_dict("records"):
        logging.info("%(cell)s: test %(direction)s R@10 %(r10).1f +- %(r10_ci).1f", row)


if __name__ == "__main__":
    run(main, parser)
