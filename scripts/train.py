"""Train one model, given as a description of its parts, with one seed.

A killed training resumes if it is started again with the same arguments. A finished one only
writes its results again. Both need the folder --work. Whatever a description omits is as
in Merkx & Frank (groundvec/config/schema.yaml).
"""

import argparse
import logging
import os
from pathlib import Path

from groundvec.config.cli import description, run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="""examples:
  python scripts/train.py --name gru-256 --dataset scenes --work checkpoints --output my-model \\
      --description '{encoder: {name: rnn, cell: gru, size: 256}}' \\
      --captions results/datasets/scenes/captions.csv \\
      --features results/features/scenes/efficientnet_lite0.h5 \\
      --texts results/text/scenes/characters.en.json
  python scripts/train.py --description my-model.yaml ...""",
)
parser.add_argument("--name", required=True, help="of the model, for results")
parser.add_argument("--dataset", required=True, help="its name, for results")
parser.add_argument("--source", default="table", help="of the data set, for results: flickr8k, ...")
parser.add_argument(
    "--description",
    type=description,
    required=True,
    help="the model's parts, as a YAML or JSON file or as text",
)
parser.add_argument("--seed", type=int, default=1, help="of the weights and the batches")
parser.add_argument("--captions", type=Path, required=True, help="a data set's captions.csv")
parser.add_argument(
    "--draw",
    type=int,
    nargs=3,
    metavar=("TRAIN", "DEV", "TEST"),
    help="how many images of each split to draw with the seed (default: all)",
)
parser.add_argument("--features", type=Path, required=True, help="HDF5 file of image features")
parser.add_argument(
    "--texts", type=Path, nargs="+", required=True, help="what scripts/text.py wrote, by language"
)
parser.add_argument(
    "--treebanks", type=Path, nargs="+", default=[], help="trees: what scripts/trees.py wrote"
)
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--device", choices=["cpu", "cuda"], help="(default: cuda where there is one)")
parser.add_argument("--work", type=Path, required=True, help="a folder for checkpoints")
parser.add_argument("--output", type=Path, required=True, help="the folder to write")


def main(arguments: argparse.Namespace) -> None:
    # cuBLAS is deterministic only with a fixed workspace; it reads this when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    from functools import partial

    import pandas as pd
    import torch

    from groundvec.config import parts
    from groundvec.data import schema
    from groundvec.data.split import drawn, load_split
    from groundvec.device import choose, deterministic
    from groundvec.evaluation.ranks import development_recall
    from groundvec.features import store
    from groundvec.model.folder import snapshot_name
    from groundvec.model.network import Model, make_texts
    from groundvec.results.frames import write
    from groundvec.results.schemas import History
    from groundvec.runtime.errors import InputError
    from groundvec.runtime.files import check_output, copy, read_json, sha256, write_json
    from groundvec.runtime.jobs import describe, locked
    from groundvec.runtime.provenance import code_hash, digest, provenance
    from groundvec.training import loop

    for name in ("history.csv", "model.json"):
        check_output(arguments.output / name)  # at once, and not after hours of training
    described = arguments.description
    device = choose(arguments.device, arguments.threads, described["training"]["precision"])
    deterministic()
    torch.manual_seed(arguments.seed)

    treebank = parts.treebank(described["text"], arguments.treebanks)
    languages = described["languages"]
    if len(arguments.texts) != len(languages):
        raise InputError(
            f"--texts names {len(arguments.texts)} files: give one for each of the languages "
            f"{', '.join(languages)}, in this order"
        )
    of_texts = [read_json(path) for path in arguments.texts]
    contents = dict(zip(languages, of_texts, strict=True))
    texts = make_texts(described, contents, treebank)
    captions = schema.read_captions(arguments.captions)
    if arguments.draw:
        captions = drawn(captions, arguments.draw, arguments.seed)
    read_features = partial(store.read, arguments.features)
    training, dev = (load_split(captions, name, read_features, texts) for name in ("train", "dev"))
    model = Model(described, texts, training.features.shape[1]).to(device)
    decides = {
        "description": described,
        "seed": arguments.seed,
        "draw": arguments.draw,
        "code": code_hash("scripts/train.py", *parts.files(described)),
        "captions": sha256(arguments.captions),
        "features": store.fingerprint(arguments.features),
        "texts": digest(of_texts),
        "treebanks": [sha256(path) for path in arguments.treebanks],
    }
    # A hash of everything that decides the result: it names the folder of the checkpoints.
    key = digest(decides)
    work = arguments.work / key
    labels = {"dataset": arguments.dataset, "model": arguments.name, "seed": arguments.seed}
    title = f"{arguments.name} seed {arguments.seed}"
    with locked(work, str(arguments.output)):
        describe(work, "training", f"{arguments.dataset} {title}", decides)
        evaluate = partial(development_recall, dev=dev)
        history = loop.train(model, training, arguments.seed, work, evaluate, title)
        settings = described["training"]
        names = {epoch: snapshot_name(epoch) for epoch in loop.saved(settings)}
        for snapshot in names.values():
            copy(work / "snapshots" / snapshot, arguments.output / "snapshots" / snapshot)
        rows = pd.DataFrame([labels | row for row in history])
        write(arguments.output / "history.csv", rows, History)
        content = labels | {
            "source": arguments.source,
            "description": described,
            "texts": {language: text.as_dict() for language, text in texts.items()},
            "width": model.width,
            **({"draw": arguments.draw} if arguments.draw else {}),
            "snapshots": loop.snapshots(settings),
            "saved": list(names),
            "sha256": {epoch: sha256(work / "snapshots" / name) for epoch, name in names.items()},
            "features": store.attributes(arguments.features),
            "key": key,
            # Of the run that trained, which may be an earlier one.
            "provenance": {name: history[-1][name] for name in provenance(device)},
        }
        write_json(arguments.output / "model.json", content)
    logging.info("%s: done, in %s", title, arguments.output)


if __name__ == "__main__":
    run(main, parser)
