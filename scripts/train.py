"""Train one cell of the architecture grid with one seed.

A training that was killed goes on where it was when it is started again with the same
arguments, and one that was finished only writes its results again, as long as the folder --work
is there. The defaults are the paper's for Flickr8k.
"""

import argparse
import dataclasses
import json
import logging
import os
from pathlib import Path

from groundvec.cli import run
from groundvec.training.settings import Settings

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/train.py --cell gru-2048-attention --seed 1 "
    "--captions results/datasets/flickr8k/captions.csv "
    "--features results/features/flickr8k/resnet152.h5 "
    "--vocabulary results/vocabulary/flickr8k.en.json --work checkpoints --output my-model",
)
parser.add_argument("--cell", required=True, help="RNN-SIZE-POOLING, e.g. gru-2048-attention")
parser.add_argument("--seed", type=int, default=1, help="of the weights and the batches")
parser.add_argument("--captions", type=Path, required=True, help="a data set's captions.csv")
parser.add_argument("--language", default="en", help="of the captions to use (default: en)")
parser.add_argument("--features", type=Path, required=True, help="HDF5 file of image features")
parser.add_argument("--vocabulary", type=Path, required=True, help="JSON file of characters")
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--device", choices=["cpu", "cuda"], help="(default: cuda where there is one)")
parser.add_argument("--work", type=Path, required=True, help="a folder for checkpoints")
parser.add_argument("--output", type=Path, required=True, help="the folder to write")
for field in dataclasses.fields(Settings):
    parser.add_argument(
        f"--{field.name.replace('_', '-')}",
        type=json.loads,
        default=field.default,
        help=f"a number, or null for none (default: {field.default})",
    )


def main(arguments: argparse.Namespace) -> None:
    # cuBLAS is deterministic only with a fixed workspace; it reads this when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    import pandas as pd
    import torch

    from groundvec.data import schema
    from groundvec.device import choose
    from groundvec.evaluation import retrieval
    from groundvec.features import store
    from groundvec.files import check_output, copy, sha256, write_csv, write_json
    from groundvec.jobs import locked
    from groundvec.models.model import GroundedModel, describe, snapshot_name
    from groundvec.provenance import code_hash, digest, provenance
    from groundvec.text.characters import Vocabulary
    from groundvec.training.pairs import load_pairs
    from groundvec.training.trainer import train

    settings = Settings(
        **{f.name: getattr(arguments, f.name) for f in dataclasses.fields(Settings)}
    )
    check_output(arguments.output / "model.json")  # now, and not after hours
    device = choose(arguments.device, arguments.threads)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(arguments.seed)

    captions = schema.read_captions(arguments.captions, arguments.language)
    vocabulary = Vocabulary.load(arguments.vocabulary)
    training, dev = (
        load_pairs(captions, arguments.features, vocabulary, split) for split in ("train", "dev")
    )
    model = GroundedModel(arguments.cell, vocabulary, training.features.shape[1]).to(device)
    # Everything that decides the result: where its checkpoints are, and what it is known by.
    key = digest(
        arguments.cell,
        arguments.seed,
        dataclasses.asdict(settings),
        vocabulary.as_dict(),
        arguments.language,
        arguments.captions.read_bytes(),
        store.fingerprint(arguments.features),
        code_hash("scripts/train.py"),
    )
    work = arguments.work / key

    def evaluate(model: GroundedModel) -> dict[str, float]:
        table = retrieval.evaluate(
            model.encode_captions(dev.captions), model.encode_images(dev.features), dev.image
        )
        recalls = {
            f"{direction}_{column}": row[column]
            for direction, row in table.set_index("direction").iterrows()
            for column in ("r1", "r5", "r10")
        }
        return recalls | {"dev_recall": retrieval.mean_recall(table)}

    title = f"{arguments.cell} seed {arguments.seed}"
    with locked(work, str(arguments.output)):
        history = train(model, training, settings, arguments.seed, work, evaluate, title)
        names = {epoch: snapshot_name(epoch) for epoch in settings.saved}
        for snapshot in names.values():
            copy(work / "snapshots" / snapshot, arguments.output / "snapshots" / snapshot)
        write_csv(arguments.output / "history.csv", pd.DataFrame(history))
        description = describe(
            model,
            seed=arguments.seed,
            language=arguments.language,
            training=dataclasses.asdict(settings),
            snapshots=settings.snapshots,
            saved=settings.saved,
            sha256={epoch: sha256(work / "snapshots" / name) for epoch, name in names.items()},
            features=store.attributes(arguments.features),
            key=key,
            # Not of this run, which may have found the training finished.
            provenance={name: history[-1][name] for name in provenance(device)},
        )
        write_json(arguments.output / "model.json", description)
    logging.info("%s: done, in %s", title, arguments.output)


if __name__ == "__main__":
    run(main, parser)
