"""One training, from the files of a data set to the folder of the trained model."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from groundvec.config import parts
from groundvec.data import dataset
from groundvec.data.split import Split, drawn, load_more, load_split
from groundvec.evaluation.ranks import development_recall
from groundvec.features import store
from groundvec.model.folder import snapshot_name
from groundvec.model.network import Model
from groundvec.model.sentences import make_texts
from groundvec.provenance import code_hash, digest, provenance
from groundvec.results.frames import write
from groundvec.results.schemas import History
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import copy, sha256, write_json
from groundvec.runtime.jobs import describe, locked
from groundvec.training import loop

log = logging.getLogger(__name__)


def run(
    description: dict[str, Any],
    labels: Mapping[str, Any],
    captions: Path,
    features: Path,
    contents: Mapping[str, dict[str, Any]],
    work: Path,
    output: Path,
    device: str,
    source: str = "table",
    draw: Sequence[int] | None = None,
    treebanks: Sequence[Path] = (),
) -> None:
    """Train a model; write its snapshots, history.csv and, when these are there, model.json.

    If it was killed before, it goes on. If it is finished, only the results are written again.

    Args:
        labels: `dataset`, `model` and `seed`, the columns of results.
        captions, features: a data set's captions.csv, and the HDF5 file of its image features.
        contents: by language, what `Text.as_dict` returned.
        work: a folder for checkpoints, of any trainings.
        draw: how many images of each split to draw with the seed; by default all.

    Raises:
        InputError, Stopped: see `groundvec.training.loop.train`.
    """
    seed = labels["seed"]
    torch.manual_seed(seed)
    texts = make_texts(description, contents, parts.treebank(description["text"], treebanks))
    read = dataset.read_captions(captions)
    if draw:
        read = drawn(read, draw, seed)
    read_features = partial(store.read, features)
    training, dev = (load_split(read, name, read_features, texts) for name in ("train", "dev"))
    alone = ", ".join(language for language in texts if language not in training.captions)
    if alone and not description.get("shared"):
        raise InputError(
            f"no captions of pictures to test with are in {alone}: set `shared: true`, or leave "
            "the language out"
        )
    if description["training"].get("more_captions"):
        training.more = load_more(read, texts)
    model = Model(description, texts, training.features.shape[1]).to(device)
    decides = {"description": description, "seed": seed, "draw": draw}
    decides |= _hashes(description, captions, features, contents, treebanks)
    # A hash of everything that decides the result: it names the folder of the checkpoints.
    key = digest(decides)
    title = f"{labels['model']} seed {seed}"
    with locked(work / key, str(output)):
        describe(work / key, "training", f"{labels['dataset']} {title}", decides)
        evaluate = partial(development_recall, dev=dev)
        history = loop.train(model, training, seed, work / key, evaluate, title)
        content = {
            **labels,
            "source": source,
            "description": description,
            "texts": {language: text.as_dict() for language, text in texts.items()},
            "width": model.width,
            **({"draw": draw} if draw else {}),
            **_described(read, training),
            "features": store.attributes(features),
            "key": key,
            # Of the run that trained, which may be an earlier one.
            "provenance": {name: history[-1][name] for name in provenance()},
        }
        rows = pd.DataFrame([{**labels, **row} for row in history])
        _write(output, rows, content, work / key / "snapshots")
    log.info("%s: done, in %s", title, output)


def _described(captions: pd.DataFrame, training: Split) -> dict[str, Any]:
    """Say how many captions of `more_captions` a training had, and from which source."""
    if (more := training.more) is None:
        return {}
    source, _, _ = captions["image_id"][captions["split"].eq(dataset.MORE)].iloc[0].partition("/")
    counts = {"captions": len(more.texts), "pictures": more.images}
    further = sum(int((own.order < 0).sum()) for own in training.captions.values())
    return {"more_captions": {"source": source, **counts, "of_training_pictures": further}}


def _hashes(
    description: dict[str, Any],
    captions: Path,
    features: Path,
    contents: Mapping[str, dict[str, Any]],
    treebanks: Sequence[Path],
) -> dict[str, Any]:
    """Hash the code and the files that decide the result of a training."""
    return {
        "code": code_hash("groundvec/training/run.py", *parts.files(description)),
        "captions": sha256(captions),
        "features": store.attributes(features)["fingerprint"],
        "texts": digest([*contents.values()]),
        "treebanks": [sha256(path) for path in treebanks],
    }


def _write(output: Path, history: pd.DataFrame, content: dict[str, Any], snapshots: Path) -> None:
    """Write the snapshots, history.csv and, when these are there, model.json."""
    settings = content["description"]["training"]
    names = {epoch: snapshot_name(epoch) for epoch in loop.saved(settings)}
    for name in names.values():
        copy(snapshots / name, output / "snapshots" / name)
    write(output / "history.csv", history, History)
    content |= {"snapshots": loop.snapshots(settings), "saved": list(names)}
    content |= {"sha256": {epoch: sha256(snapshots / name) for epoch, name in names.items()}}
    write_json(output / "model.json", content)
