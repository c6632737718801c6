"""Training from the files of a data set to the folder of the trained model."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.config import parts
from groundvec.config.types import Description, Labels, MoreCaptions, Options
from groundvec.data import dataset
from groundvec.data.split import Captions, Split, drawn, load_split, load_text_only
from groundvec.features import store
from groundvec.model.folder import ModelFolder, snapshot_name
from groundvec.model.network import Model
from groundvec.model.sentences import make_texts
from groundvec.provenance import code_hash, digest, provenance
from groundvec.results.frames import write
from groundvec.results.schemas import History
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import copy, sha256, write_json
from groundvec.runtime.jobs import describe, locked
from groundvec.training import loop
from groundvec.training.fine_tuning import PATIENCE, load_start, snapshot_of

log = logging.getLogger(__name__)


def train_from_files(
    description: Description,
    labels: Labels,
    captions: Path,
    features: Path,
    contents: Mapping[str, Options],
    work: Path,
    output: Path,
    device: str,
    source: str = "table",
    draw: Sequence[int] | None = None,
    treebanks: Sequence[Path] = (),
    start: ModelFolder | None = None,
    early_epochs: int = 0,
) -> None:
    """Train a model; write its snapshots, history.csv and, last, model.json.

    A training that was killed resumes. A finished training only writes its results again.

    Args:
        labels: `dataset`, `model` and `seed`, the columns of results.
        captions, features: a data set's captions.csv, and the HDF5 file of its image features.
        contents: by language, the result of `Text.as_dict`.
        work: a folder for checkpoints, of any trainings.
        draw: the number of images to draw from each split with the seed; by default all.
        start: a trained model with the same parts, to fine-tune until development recall has not
            risen for `PATIENCE` epochs; by default train from initial weights.
        early_epochs: also keep the snapshots of this number of first epochs.

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
    if description["training"].get("permute_images"):
        training.permute_images(seed)
    dev = load_split(table, "dev", read_features, texts)
    # Languages of further captions may share the encoder of a language that has images.
    without_images = [language for language in texts if language not in training.captions]
    if without_images and not description.get("shared"):
        raise InputError(
            f"no captions of pictures to test with are in {', '.join(without_images)}: set "
            "`shared: true`, or leave the language out"
        )
    more_captions = None  # as model.json describes them
    if description["training"].get("more_captions"):
        training.text_only_captions = load_text_only(table, texts)
        more_captions = _describe_text_only(table, training, training.text_only_captions)
    del table  # free its memory: training needs the encoded captions alone

    # Everything on which the result depends. Its hash names the folder of the checkpoints. So a
    # training never resumes from another's checkpoint, and is repeated if any of this changes.
    inputs = {
        "description": description,
        "seed": seed,
        "draw": draw,
        "code": code_hash("groundvec/training/files.py", *parts.files(description)),
        "captions": sha256(captions),
        "features": store.attributes(features)["fingerprint"],
        "texts": digest(list(contents.values())),
        "treebanks": [sha256(path) for path in treebanks],
        "early_epochs": early_epochs,
    }
    model: Model | None = None
    patience = None
    if start:
        model = load_start(start, description, texts, device)
        patience = PATIENCE
        inputs["start"] = sha256(snapshot_of(start))
    key = digest(inputs)
    folder = work / key
    title = f"{labels['model']} seed {seed}"
    with locked(folder, str(output)):
        describe(folder, "training", f"{labels['dataset']} {title}", inputs)
        history = loop.train(
            description,
            texts,
            training,
            dev,
            seed,
            device,
            folder,
            title,
            model=model,
            patience=patience,
            early_epochs=early_epochs,
        )
        settings = description["training"]
        saved = loop.saved_epochs(settings, early_epochs)
        candidates = loop.candidate_epochs(settings)
        if start:
            saved = candidates = [loop.best_epoch(history)]

        content: dict[str, object] = {**labels, "source": source}
        content["description"] = description
        content["texts"] = {language: text.as_dict() for language, text in texts.items()}
        content["width"] = training.features.shape[1]
        if draw:
            content["draw"] = draw
        if more_captions:
            content["more_captions"] = more_captions
        content["features"] = store.attributes(features)
        content["key"] = key
        # The history has the provenance of the process that trained, which may be an earlier one.
        content["provenance"] = {name: history[-1][name] for name in provenance()}
        epochs = pd.DataFrame([{**labels, **row} for row in history])
        content["snapshots"] = candidates
        content["saved"] = saved
        _write(output, epochs, content, folder / "snapshots")
    log.info("%s: done, in %s", title, output)


def _describe_text_only(table: pd.DataFrame, training: Split, text_only: Captions) -> MoreCaptions:
    """Describe the captions that `more_captions` adds to a training: their source and numbers."""
    first_image = table["image_id"][table["split"].eq(dataset.MORE)].iloc[0]
    source, _, _ = first_image.partition("/")
    # Some belong to training images, in a further language. Only `Captions.another` draws them.
    of_training = sum(int((captions.order < 0).sum()) for captions in training.captions.values())
    return {
        "source": source,
        "captions": len(text_only.image),
        "pictures": text_only.images,
        "of_training_pictures": of_training,
    }


def _write(output: Path, history: pd.DataFrame, model: dict[str, Any], snapshots: Path) -> None:
    """Write the snapshots, history.csv and, last, model.json: with it, the folder is complete."""
    checksums = {}
    for epoch in model["saved"]:
        name = snapshot_name(epoch)
        copy(snapshots / name, output / "snapshots" / name)
        checksums[str(epoch)] = sha256(snapshots / name)
    write(output / "history.csv", history, History)
    model["sha256"] = checksums
    write_json(output / "model.json", model)
