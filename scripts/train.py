r"""Train one model, given as a description of its parts, with one seed.

A killed training resumes if it is started again with the same arguments. A finished one only
writes its results again. Both need the folder --work. Whatever a description omits is as
in Merkx & Frank (groundvec/config/schema.yaml).

Examples:
  python scripts/train.py --name gru-256 --dataset scenes --work checkpoints --output my-model \
      --description '{encoder: {name: rnn, cell: gru, size: 256}}' \
      --captions results/datasets/scenes/captions.csv \
      --features results/features/scenes/efficientnet_lite0.h5 \
      --texts results/text/scenes/characters.en.json
  python scripts/train.py --description my-model.yaml ...
"""

import argparse
import logging
from typing import TYPE_CHECKING, Any

from groundvec.config.arguments import FILES, add_settings, make_parser
from groundvec.config.cli import run

if TYPE_CHECKING:
    from groundvec.model.network import Model

shared = "name captions features treebanks seed threads device work"
parser = make_parser(__doc__, shared, "the folder to write", ("/history.csv", "/model.json"))
add_settings(parser, "--description", "model")
parser.add_argument("--dataset", required=True, help="its name, for results")
parser.add_argument("--source", default="table", help="of the data set, for results: flickr8k, ...")
parser.add_argument(
    "--draw",
    type=int,
    nargs=3,
    metavar=("TRAIN", "DEV", "TEST"),
    help="how many images of each split to draw with the seed (default: all)",
)
parser.add_argument(
    "--texts", **FILES, required=True, help="what scripts/text.py wrote, by language"
)


def main(arguments: argparse.Namespace) -> None:
    from functools import partial

    import torch

    from groundvec.config import parts
    from groundvec.data import dataset
    from groundvec.data.split import drawn, load_split
    from groundvec.device import choose, deterministic
    from groundvec.evaluation.ranks import development_recall
    from groundvec.features import store
    from groundvec.model.network import Model
    from groundvec.model.sentences import make_texts
    from groundvec.runtime.files import sha256
    from groundvec.runtime.jobs import describe, locked
    from groundvec.runtime.provenance import code_hash, digest
    from groundvec.training import loop

    described = arguments.description
    deterministic()
    device = choose(arguments.device, arguments.threads, described["training"]["precision"])
    torch.manual_seed(arguments.seed)
    contents = read_texts(arguments)
    treebank = parts.treebank(described["text"], arguments.treebanks)
    texts = make_texts(described, contents, treebank)
    captions = dataset.read_captions(arguments.captions)
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
        "features": store.attributes(arguments.features)["fingerprint"],
        "texts": digest([*contents.values()]),
        "treebanks": [sha256(path) for path in arguments.treebanks],
    }
    # A hash of everything that decides the result: it names the folder of the checkpoints.
    key = digest(decides)
    work = arguments.work / key
    title = f"{arguments.name} seed {arguments.seed}"
    with locked(work, str(arguments.output)):
        describe(work, "training", f"{arguments.dataset} {title}", decides)
        evaluate = partial(development_recall, dev=dev)
        history = loop.train(model, training, arguments.seed, work, evaluate, title)
        write_results(arguments, key, model, history)
    logging.info("%s: done, in %s", title, arguments.output)


def read_texts(arguments: argparse.Namespace) -> dict[str, Any]:
    """Read the texts of scripts/text.py, by language."""
    from groundvec.runtime.errors import InputError
    from groundvec.runtime.files import read_json

    languages = arguments.description["languages"]
    if len(arguments.texts) != len(languages):
        raise InputError(
            f"--texts names {len(arguments.texts)} files: give one for each of the languages "
            f"{', '.join(languages)}, in this order"
        )
    return dict(zip(languages, map(read_json, arguments.texts), strict=True))


def write_results(
    arguments: argparse.Namespace, key: str, model: "Model", history: list[dict[str, Any]]
) -> None:
    """Write the snapshots, history.csv and, when these are there, model.json."""
    import pandas as pd

    from groundvec.features import store
    from groundvec.model.folder import snapshot_name
    from groundvec.results.frames import write
    from groundvec.results.schemas import History
    from groundvec.runtime.files import copy, sha256, write_json
    from groundvec.runtime.provenance import provenance
    from groundvec.training import loop

    settings, snapshots = arguments.description["training"], arguments.work / key / "snapshots"
    labels = {"dataset": arguments.dataset, "model": arguments.name, "seed": arguments.seed}
    names = {epoch: snapshot_name(epoch) for epoch in loop.saved(settings)}
    for name in names.values():
        copy(snapshots / name, arguments.output / "snapshots" / name)
    rows = pd.DataFrame([labels | row for row in history])
    write(arguments.output / "history.csv", rows, History)
    content = labels | {
        "source": arguments.source,
        "description": arguments.description,
        "texts": {language: text.as_dict() for language, text in model.texts.items()},
        "width": model.width,
        **({"draw": arguments.draw} if arguments.draw else {}),
        "snapshots": loop.snapshots(settings),
        "saved": list(names),
        "sha256": {epoch: sha256(snapshots / name) for epoch, name in names.items()},
        "features": store.attributes(arguments.features),
        "key": key,
        # Of the run that trained, which may be an earlier one.
        "provenance": {name: history[-1][name] for name in provenance()},
    }
    write_json(arguments.output / "model.json", content)


if __name__ == "__main__":
    run(main, parser)
