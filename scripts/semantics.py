"""Score a trained caption encoder by similarity ratings: its ensemble and each snapshot.

Writes STEM.csv (the scores) and STEM.similarities.csv (a row a pair, for the ensemble and for the
untrained network).
"""

import argparse
import logging
from functools import partial
from pathlib import Path

from groundvec.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/semantics.py --dataset flickr8k --model my-model "
    "--pairs pairs.csv --output scores",
)
parser.add_argument("--dataset", required=True, help="what it was trained on, for a column")
parser.add_argument("--model", type=Path, required=True, help="the folder of a training")
parser.add_argument("--pairs", type=Path, required=True, help="what scripts/pairs.py wrote")
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--output", required=True, metavar="STEM", help="the files to write")


def main(arguments: argparse.Namespace) -> None:
    import numpy as np
    import pandas as pd

    from groundvec.data.ratings import read_pairs
    from groundvec.device import choose
    from groundvec.evaluation.similarity import score
    from groundvec.files import write_csv
    from groundvec.models.model import ensemble, load_model, read_description, read_ensemble
    from groundvec.provenance import provenance

    device = choose(threads=arguments.threads)
    pairs = read_pairs(arguments.pairs)
    description = read_description(arguments.model)
    together = read_ensemble(arguments.model)
    cell, seed = description["cell"], description["seed"]
    embedded: dict[int, np.ndarray] = {}  # the snapshots of the ensemble

    def snapshot(sentences: list[str], epoch: int) -> np.ndarray:
        model = load_model(arguments.model, epoch).to(device)
        vectors = model.encode_captions(model.vocabulary.encode(sentences), progress=True)
        if epoch in together:
            embedded[epoch] = vectors
        return vectors

    systems = [("snapshot", str(e), partial(snapshot, epoch=e)) for e in description["saved"]]
    systems.append(
        (
            "ensemble",
            "+".join(map(str, together)),
            lambda _: ensemble([embedded[epoch] for epoch in together]),
        )
    )
    scores, similarities = [], []
    for model, epochs, encode in systems:
        logging.info("%s, seed %d: %s %s", cell, seed, model, epochs)
        labels = {
            "system": f"{arguments.dataset}/{cell}/seed{seed}",
            "dataset": arguments.dataset,
            "cell": cell,
            "seed": seed,
            "model": model,
            "epochs": epochs,
        }
        of_pairs, of_tasks = score(pairs, encode, labels, device)
        scores.append(of_tasks)
        if model == "ensemble" or epochs == "0":
            similarities.append(of_pairs)
    source = {"configuration": description["key"], **provenance(device)}
    write_csv(f"{arguments.output}.similarities.csv", pd.concat(similarities))
    write_csv(f"{arguments.output}.csv", pd.concat(scores).assign(**source))


if __name__ == "__main__":
    run(main, parser)
