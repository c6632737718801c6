"""Train an encoder on your own captioned pictures.

CAPTIONS is a CSV file with the columns `image`, a file name within PHOTOS, and `caption`, and if
you like `split` (train, dev or test). Without it, a tenth of the pictures is for development and a
tenth for the test. The recipe is that of a trained model, by default of the shipped encoder. Fewer
than 3,000 pictures are trained on for more epochs, in smaller batches.

What is finished is kept in a folder beside the model. If the command was stopped, give it again.

Examples:
  groundvec train my/captions.csv my/photos -o my-encoder
"""

import argparse
import copy
import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.cli.program import show
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import check_new
from groundvec.runtime.jobs import locked

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from groundvec.features.backbones import Backbone

# Epochs and the size of a batch, for at least so many training pictures (docs/your-own-data.md).
FEW = {1000: (16, 64), 300: (32, 64), 100: (48, 64), 0: (48, 16)}
ENOUGH = 3000  # pictures, for the recipe as it is
FEWEST = 2  # training pictures, which a loss compares
# What a training writes into its folder, also under a temporary name if it was killed.
OURS = re.compile(
    r"""
    lock | (captions|images|retrieval)\.csv | features(-[0-9]+)?\.h5
    | (model|[0-9a-f]{16}) (/snapshots (/epoch-[0-9]+\.safetensors)?)?
    | model/ ((model|ensemble)\.json | history\.csv | README\.md)
    | [0-9a-f]{16}/ (lock | about\.json | finished\.pt | checkpoint(-previous)?\.pt)
    | ((model|[0-9a-f]{16})/)? (snapshots/)? \.[0-9a-f]{16} (\.[a-z0-9]+)?
    """,
    re.VERBOSE,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `train` reads from its command line."""
    parser.add_argument("captions", type=Path, metavar="CAPTIONS", help="a CSV file")
    parser.add_argument("photos", type=Path, metavar="PHOTOS", help="the folder of the pictures")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="MODEL", help="the folder to make"
    )
    parser.add_argument(
        "--recipe",
        default="flickr8k",
        metavar="MODEL",
        help="whose parts, training and features to take (default: %(default)s)",
    )
    parser.add_argument("--epochs", type=int, help="of training (default: see above)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--device", help="cpu or cuda (default: cuda where there is one)")
    parser.set_defaults(overwrite=True)  # what an earlier run left beside the model


def main(arguments: argparse.Namespace) -> None:
    """Train, score on held-out pictures, and write the model's folder."""
    output: Path = arguments.output
    work = output.with_name(f".{output.name}.unfinished")
    check_new(output)
    if work.is_symlink():
        raise InputError(f"{work} is a link: remove it, or name another model")
    with extra("train"), locked(work, str(output), patience=0):
        check_new(output)  # another process may have made it until this one had the lock
        _check_work(work)
        _train(arguments, work)
        _remove(work)


def _train(arguments: argparse.Namespace, work: Path) -> None:
    """Train in the folder `work`, or go on there, and copy the model to its own folder."""
    from groundvec.card.card import card
    from groundvec.config import parts
    from groundvec.data import dataset
    from groundvec.device import choose, deterministic
    from groundvec.encoder import backbones_of
    from groundvec.evaluation.model_retrieval import score_folder
    from groundvec.evaluation.snapshots import ensemble
    from groundvec.model import hub
    from groundvec.model.folder import copy_ensemble, read_description
    from groundvec.results import frames
    from groundvec.results.schemas import History, Retrieval
    from groundvec.runtime.files import write_bytes, write_json
    from groundvec.sources import table
    from groundvec.training.files import train_from_files

    output: Path = arguments.output
    recipe = read_description(hub.find(arguments.recipe))
    captions, images = table.read(arguments.captions, arguments.photos)
    description = _description(arguments, recipe["description"], captions)
    deterministic()
    device = choose(arguments.device)
    of_captions = work / "captions.csv"
    features = work / "features.h5"
    dataset.write(work, captions, images)
    _extract(backbones_of(recipe.get("features", {})), work, features, device)
    [language] = description["languages"]
    make = parts.find("text", description["text"]["name"])
    training = captions.loc[captions["split"] == "train", "caption"]
    text = make.build(training, **parts.options(description["text"]))
    name = arguments.photos.resolve().name
    labels = {"dataset": name, "model": output.name, "seed": arguments.seed}
    model = work / "model"
    choose(device, precision=description["training"]["precision"])
    train_from_files(
        description,
        labels,
        captions=of_captions,
        features=features,
        contents={language: text.as_dict()},
        work=work,
        output=model,
        device=device,
    )
    choose(device)
    history = frames.read(model / "history.csv", History)
    write_json(model / "ensemble.json", ensemble(history, read_description(model)))
    scores, _ = score_folder(model, of_captions, features, device)
    frames.write(work / "retrieval.csv", scores, Retrieval)
    about = parts.options_schema("sources", "table")["card"]
    about_it = card(model, about, [], work / "retrieval.csv", load=str(output))
    write_bytes(model / "README.md", about_it.encode())
    copy_ensemble(model, output)
    tested = scores[scores["split"].eq("test")].pivot_table("r10", "direction", "kind")
    for direction, r10, chance in tested[["ensemble", "chance"]].dropna().itertuples():
        show(f"{direction}: R@10 {r10:.1f}, by chance {chance:.1f}")
    query = "groundvec", "search", arguments.photos, captions.caption[0], "--model", output
    show(shlex.join(map(str, query)))


def _check_work(work: Path) -> None:
    """Raise InputError if something in the folder is not of a training."""
    for path in work.rglob("*"):
        if not _is_ours(path, work):
            raise InputError(
                f"{path} is in the folder of an unfinished training, and not of it: move it "
                "elsewhere, or name another model"
            )


def _remove(work: Path) -> None:
    """Remove what a training wrote, and its folders if nothing else is in them.

    The lock is left to its holder.
    """
    for path in sorted(work.rglob("*"), reverse=True):  # a folder comes after what is in it
        if path.is_dir() and not path.is_symlink():
            with suppress(OSError):
                path.rmdir()
        elif _is_ours(path, work) and path != work / "lock":
            path.unlink()


def _is_ours(path: Path, work: Path) -> bool:
    """Return whether a path in the folder of a training is named like what that writes."""
    name = path.relative_to(work).as_posix()
    return not path.is_symlink() and bool(OURS.fullmatch(name))


def _extract(backbones: "Sequence[Backbone]", work: Path, output: Path, device: str) -> None:
    """Write the features of a data set's pictures by several networks."""
    import torch

    from groundvec.data import dataset
    from groundvec.features import store
    from groundvec.features.concatenation import concatenate
    from groundvec.features.extract import described_features, extract
    from groundvec.runtime.files import cache

    images = dataset.read_images(work / "images.csv")
    files = [work / f"features-{number}.h5" for number in range(len(backbones))]
    for file, backbone in zip(files, backbones, strict=True):
        features = extract(images, backbone, cache(), device, torch.get_num_threads())
        store.write(file, features, images.image_id, described_features(backbone, device))
    features, attributes = concatenate(files, images)
    store.write(output, features, images.image_id, attributes)


def _description(
    arguments: argparse.Namespace, recipe: dict[str, Any], captions: "pd.DataFrame"
) -> dict[str, Any]:
    """Return a recipe for these captions: their language, and epochs for their number."""
    from groundvec.config.description import complete_description

    if "training" not in recipe:
        raise InputError(
            f"the model {arguments.recipe} does not say how it was trained: name another --recipe"
        )
    languages = captions["language"].unique().tolist()
    if len(languages) > 1:
        raise InputError(
            f"the captions are in {', '.join(languages)}: keep one language, or use the workflow "
            "(docs/your-own-data.md)"
        )
    pictures = captions.loc[captions["split"] == "train", "image_id"].nunique()
    if pictures < FEWEST:
        raise InputError(
            f"{arguments.captions} has {pictures} training picture: at least {FEWEST} are needed, "
            f"and one each for dev and test, so {FEWEST + 2} pictures in all"
        )
    description = copy.deepcopy(recipe) | {"languages": languages}
    settings = description["training"]
    settings.pop("more_captions", None)  # which these are not shipped with
    complete_description(description, str(arguments.recipe))
    if pictures < ENOUGH:
        fewest = next(number for number in FEW if pictures >= number)
        settings["epochs"], settings["batch_size"] = FEW[fewest]
        settings["batch_size"] = min(settings["batch_size"], pictures)
    settings["epochs"] = settings["cycle"] = arguments.epochs or settings["epochs"]
    return description
