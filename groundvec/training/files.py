"""Training from the files of a data set to the folder of the trained model."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.config import parts
from groundvec.data import dataset
from groundvec.data.split import Captions, Split, drawn, load_more, load_split
from groundvec.features import store
from groundvec.model.folder import snapshot_name
from groundvec.model.sentences import make_texts
from groundvec.provenance import code_hash, digest, provenance
from groundvec.results.frames import write
from groundvec.results.schemas import History
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import copy, sha256, write_json
from groundvec.runtime.jobs import describe, locked
from groundvec.training import loop

log = logging.getLogger(__name__)


def train_from_files(
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

    A training that was killed resumes. One that is finished only writes its results again.

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
    texts = make_texts(description, contents, parts.treebank(description["text"], treebanks))
    table = dataset.read_captions(captions)
    if draw:
        table = drawn(table, draw, seed)
    read_features = partial(store.read, features)
    training = load_split(table, "train", read_features, texts)
    dev = load_split(table, "dev", read_features, texts)
    alone = ", ".join(language for language in texts if language not in training.captions)
    if alone and not description.get("shared"):
        raise InputError(
            f"no captions of pictures to test with are in {alone}: set `shared: true`, or leave "
            "the language out"
        )
    if description["training"].get("more_captions"):
        training.more = load_more(table, texts)
    described = _describe_more(table, training, training.more) if training.more else None
    del table  # what training needs of it is encoded: free its memory

    # Everything that decides the result. Its hash names the folder of the checkpoints, so that
    # a training never resumes from another one's, and is trained again if any of this changes.
    decides = {
        "description": description,
        "seed": seed,
        "draw": draw,
        "code": code_hash("groundvec/training/files.py", *parts.files(description)),
        "captions": sha256(captions),
        "features": store.attributes(features)["fingerprint"],
        "texts": digest(list(contents.values())),
        "treebanks": [sha256(path) for path in treebanks],
    }
    key = digest(decides)
    folder = work / key
    title = f"{labels['model']} seed {seed}"
    with locked(folder, str(output)):
        describe(folder, "training", f"{labels['dataset']} {title}", decides)
        history = loop.train(description, texts, training, dev, seed, device, folder, title)

        model = dict(labels)
        model["source"] = source
        model["description"] = description
        model["texts"] = {language: text.as_dict() for language, text in texts.items()}
        model["width"] = training.features.shape[1]
        if draw:
            model["draw"] = draw
        if described:
            model["more_captions"] = described
        model["features"] = store.attributes(features)
        model["key"] = key
        # Of the process that trained, which may be an earlier one.
        model["provenance"] = {name: history[-1][name] for name in provenance()}
        table_of_epochs = pd.DataFrame([{**labels, **row} for row in history])
        _write(output, table_of_epochs, model, folder / "snapshots")
    log.info("%s: done, in %s", title, output)


def _describe_more(table: pd.DataFrame, training: Split, more: Captions) -> dict[str, Any]:
    """Describe the captions of `more_captions` that a training had: their source and numbers."""
    first_image = table["image_id"][table["split"].eq(dataset.MORE)].iloc[0]
    source, _, _ = first_image.partition("/")
    # Captions of training images in a further language, which only `Captions.another` draws.
    further = sum(int((captions.order < 0).sum()) for captions in training.captions.values())
    return {
        "source": source,
        "captions": len(more.image),
        "pictures": more.images,
        "of_training_pictures": further,
    }


def _write(output: Path, history: pd.DataFrame, model: dict[str, Any], snapshots: Path) -> None:
    """Write the snapshots, history.csv and, when these are there, model.json."""
    settings = model["description"]["training"]
    saved = loop.saved_epochs(settings)
    checksums = {}
    for epoch in saved:
        name = snapshot_name(epoch)
        copy(snapshots / name, output / "snapshots" / name)
        checksums[epoch] = sha256(snapshots / name)
    write(output / "history.csv", history, History)
    model["snapshots"] = loop.candidate_epochs(settings)
    model["saved"] = saved
    model["sha256"] = checksums
    write_json(output / "model.json", model)
