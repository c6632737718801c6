r"""Score a trained model's ensemble, and each of its snapshots, on image-caption retrieval.

Writes STEM.csv, the scores, with those that a random ranking is expected to have as the kind
`chance`; and STEM.ranks.csv, the rank of every test query, for the ensemble, the untrained
snapshot, those of the first and of the last cycle and the best.

Example:
  python scripts/retrieval.py --model my-model \
      --captions results/datasets/flickr8k/captions.csv \
      --features results/features/flickr8k/resnet152.h5 --output retrieval
"""

import argparse
import logging

from groundvec.config.arguments import make_parser
from groundvec.config.cli import run

shared = "model captions features treebanks threads"
writes = (".ranks.csv", ".csv")
parser = make_parser(__doc__, shared, "the files to write, as a stem", writes, "retrieval")


def main(arguments: argparse.Namespace) -> None:
    from functools import partial

    import pandas as pd

    from groundvec.config import parts
    from groundvec.data.split import captions_of, load_split
    from groundvec.device import choose
    from groundvec.evaluation.retrieval import score_model
    from groundvec.features import store
    from groundvec.model.folder import epochs_compared, read_description, read_ensemble
    from groundvec.model.network import load_model
    from groundvec.results.frames import write
    from groundvec.results.schemas import QueryRanks, Retrieval
    from groundvec.runtime.provenance import provenance

    device = choose(threads=arguments.threads)
    model = read_description(arguments.model)
    treebank = parts.treebank(model["description"]["text"], arguments.treebanks)
    ensemble = read_ensemble(arguments.model)
    load = partial(load_model, arguments.model, device=device, treebank=treebank)
    texts = load(ensemble["best"]).texts
    captions = captions_of(model, arguments.captions)
    read_features = partial(store.read, arguments.features)
    labels = {name: model[name] for name in ("dataset", "model", "seed")}
    source = {"configuration": model["key"], **provenance(device)}
    tables = []
    for name in ("dev", "test"):
        split = load_split(captions, name, read_features, texts)
        table, ranks = score_model(
            load,
            model["saved"],
            ensemble,
            epochs_compared(model, ensemble),
            split,
            model["description"]["similarity"],
            arguments.settings["folds"] if name == "test" else 1,
        )
        tables.append(table.assign(**labels, split=name, **source))
    # The ranks are the last split's, the test set's. Its images have the same numbers for models of
    # any language, though a model may have captions of some images only.
    images = captions.loc[captions["split"] == name, "image_id"].unique()
    numbers = pd.Index(images).get_indexer(split.image_ids)
    ranks["image"] = numbers[ranks["image"]]
    write(f"{arguments.output}.ranks.csv", ranks.assign(**labels), QueryRanks)
    write(f"{arguments.output}.csv", pd.concat(tables), Retrieval)
    of_ensemble = tables[-1][tables[-1]["kind"] == "ensemble"]
    for row in of_ensemble.to_dict("records"):
        logging.info(
            "%(model)s: test %(language)s %(direction)s R@10 %(r10).1f +- %(r10_ci).1f",
            row,
        )


if __name__ == "__main__":
    run(main, parser)
