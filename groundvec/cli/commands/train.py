"""Train an encoder on your own captioned pictures.

CAPTIONS is a CSV file with the columns `image`, a file name within PHOTOS, and `caption`, and
optionally `split` (train, dev or test). Without it, a tenth of the pictures is for development and
a tenth for the test. Or CAPTIONS is a folder with Hugging Face's `metadata.csv`, or with a text
next to each picture: a.txt for a.jpg.

The recipe (parts, training and features) is copied from a trained model, by default from the
shipped encoder. With fewer than 3,000 training pictures, it has more epochs and smaller batches.

Finished work is kept in a folder next to the model. If the command was stopped, start it again.

Examples:
  groundvec train my/captions.csv my/photos -o my-encoder
  groundvec train my/photos -o my-encoder
"""

import argparse
import copy
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.cli.program import show
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import check_new
from groundvec.runtime.jobs import cores, locked

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from groundvec.features.backbones import Backbone
    from groundvec.model.folder import ModelFolder

# Epochs and batch size, by the least number of training pictures (docs/your-own-data.md, which
# has measurements with the model `bag`). Only 12 was measured for the shipped recipe: with 160
# pictures of Flickr8k, 12 epochs had R@10 of 19.0 and 19.6 (1,000 test pictures, a caption each),
# and 40 of 48 epochs 18.9 and 19.4. Development recall cannot choose the epoch: nearly all of
# these 20 pictures are among the first ten after 4 epochs.
FEW = {1000: (16, 64), 300: (32, 64), 100: (12, 64), 0: (48, 16)}
ENOUGH = 3000  # training pictures; with these the recipe is not changed
MANY = 100  # test pictures; with these R@10 is reported, with fewer R@1
FEWEST = 2  # training pictures: the loss compares a caption's picture with another one
# What a training writes into its folder: its data, the model, the folder of its checkpoints. A
# temporary name begins with a full stop.
WRITTEN = re.compile(
    r"lock|(captions|images|retrieval)\.csv|features(-[0-9]+)?\.h5|model|[0-9a-f]{16}|\..+"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec train`."""
    parser.add_argument("captions", type=Path, metavar="CAPTIONS", help="a CSV file or a folder")
    parser.add_argument(
        "photos",
        type=Path,
        nargs="?",
        metavar="PHOTOS",
        help="the folder of the pictures (default: the folder of the captions)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="MODEL", help="the folder to make"
    )
    parser.add_argument(
        "--recipe",
        default="flickr8k",
        metavar="MODEL",
        help="the model whose parts, training and features to copy (default: %(default)s)",
    )
    parser.add_argument("--epochs", type=int, help="number of epochs (default: see above)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--device", help="cpu or cuda (default: cuda if available)")
    parser.set_defaults(overwrite=True)  # replace the unfinished work of an earlier run


def main(arguments: argparse.Namespace) -> None:
    """Train, score on held-out pictures, and write the model's folder."""
    output: Path = arguments.output
    if output.name in ("", ".."):
        raise InputError(f"{output} is no name of a new folder: name one, such as my-encoder")
    work = output.with_name(f".{output.name}.unfinished")
    _check_work(work)
    with extra("train"), locked(work, str(output), patience=0):
        if _is_copied(work / "model", output):
            show(f"{output} was finished by an earlier run")
        else:
            check_new(output)
            _train(arguments, work)
        shutil.rmtree(work)


def _check_work(work: Path) -> None:
    """Raise InputError if something in the folder, which is deleted in the end, is not its own."""
    if work.is_symlink():
        raise InputError(f"{work} is a link: remove it, or name another model")
    for path in work.iterdir() if work.exists() else ():
        if path.is_symlink() or not WRITTEN.fullmatch(path.name):
            raise InputError(
                f"{path} is in the folder of an unfinished training, which did not write it: move "
                "it elsewhere, or name another model"
            )


def _is_copied(model: Path, output: Path) -> bool:
    """Return whether the model in the work folder is the one at `output`, by their cards.

    Then an earlier run was killed between copying and cleaning.
    """
    cards = [folder / "README.md" for folder in (model, output)]
    if not all(card.is_file() for card in cards):
        return False
    return cards[0].read_bytes() == cards[1].read_bytes()


def _train(arguments: argparse.Namespace, work: Path) -> None:
    """Train in the folder `work`, or resume there, and copy the model to its own folder."""
    from groundvec.card.card import DIRECTION_WORDS, card
    from groundvec.config import parts
    from groundvec.data import dataset
    from groundvec.device import choose, deterministic
    from groundvec.evaluation.model_retrieval import score_folder
    from groundvec.evaluation.snapshots import ensemble
    from groundvec.features.backbones import of_features
    from groundvec.model import hub
    from groundvec.model.folder import ModelFolder
    from groundvec.results import frames
    from groundvec.results.schemas import History, Retrieval
    from groundvec.runtime.files import write_bytes, write_json
    from groundvec.sources import table
    from groundvec.text.punctuation import detach_punctuation
    from groundvec.training.files import train_from_files

    output: Path = arguments.output
    captions_folder = arguments.captions
    if captions_folder.is_file():
        captions_folder = captions_folder.parent
    photos: Path = arguments.photos or captions_folder
    recipe = hub.find(arguments.recipe)
    captions, images = table.read(arguments.captions, photos)
    query = captions["caption"][0]
    description = _description(arguments, recipe.description, captions)
    # The model reads training captions in the form that `encode` and `search` bring sentences into.
    captions["caption"] = detach_punctuation(captions["caption"], description["text"])
    deterministic()
    device = choose(arguments.device)
    captions_file = work / "captions.csv"
    features = work / "features.h5"
    dataset.write(work, captions, images)
    backbones = of_features(recipe.metadata.get("features", {}), recipe.graphs)
    _extract(backbones, work, features, device)
    [language] = description["languages"]
    text_class = parts.find("text", description["text"]["name"])
    train_captions = captions.loc[captions["split"] == "train", "caption"]
    text = text_class.build(train_captions, **parts.options(description["text"]))
    labels = {"dataset": photos.resolve().name, "model": output.name, "seed": arguments.seed}
    model = work / "model"
    # Training alone computes in the recipe's precision; all before and after it in float32.
    choose(device, precision=description["training"]["precision"])
    train_from_files(
        description,
        labels,
        captions=captions_file,
        features=features,
        contents={language: text.as_dict()},
        work=work,
        output=model,
        device=device,
    )
    choose(device)
    history = frames.read(model / "history.csv", History)
    write_json(model / "ensemble.json", ensemble(history, ModelFolder(model).metadata))
    scores, _ = score_folder(model, captions_file, features, device)
    frames.write(work / "retrieval.csv", scores, Retrieval)
    # Among ten pictures, all are among the first ten.
    cutoff = 10 if images["split"].eq("test").sum() >= MANY else 1
    of_recipe = _score_recipe(recipe, captions, images, cutoff)
    notes = [
        f"Before any training on these pictures, the encoder {arguments.recipe} has R@{cutoff} of "
        f"{recall:.1f} ({DIRECTION_WORDS[direction]}) on the same test set."
        for direction, recall in of_recipe.items()
    ]
    data_card = parts.options_schema("sources", "table")["card"]
    retrieval = work / "retrieval.csv"
    model_card = card(model, data_card, [], retrieval, load=str(output), notes=notes)
    write_bytes(model / "README.md", model_card.encode())
    recipe.copy_graphs(model)
    ModelFolder(model).copy(output)
    test_scores = scores[scores["split"].eq("test")]
    recalls = test_scores.pivot_table(f"r{cutoff}", "direction", "kind")
    for direction, recall, chance in recalls[["ensemble", "chance"]].dropna().itertuples():
        before = ""
        if direction in of_recipe:
            before = f" (by {arguments.recipe} {of_recipe[direction]:.1f})"
        words = DIRECTION_WORDS[direction]
        show(f"{words}: R@{cutoff} {recall:.1f}{before}, by chance {chance:.1f}")
    # A command to try the model with.
    command = ["groundvec", "search", str(photos), query]
    show(shlex.join([*command, "--model", str(output)]))


def _extract(backbones: "Sequence[Backbone]", work: Path, output: Path, device: str) -> None:
    """Write the features of a data set's pictures by several networks."""
    from groundvec.data import dataset
    from groundvec.features import store
    from groundvec.features.concatenation import concatenate
    from groundvec.features.extract import described_features, extract
    from groundvec.runtime.files import cache

    images = dataset.read_images(work / "images.csv")
    pictures = list(zip(images["path"], images["sha256"], strict=True))
    files = [work / f"features-{number}.h5" for number in range(len(backbones))]
    for file, backbone in zip(files, backbones, strict=True):
        features = extract(pictures, backbone, cache(), device, cores())
        store.write(file, features, images.image_id, described_features(backbone, device))
    features, attributes = concatenate(files, images)
    store.write(output, features, images.image_id, attributes)


def _score_recipe(
    recipe: "ModelFolder",
    captions: "pd.DataFrame",
    images: "pd.DataFrame",
    cutoff: int,
) -> dict[str, float]:
    """Return the recall of the recipe's own encoder on the test pictures, by direction.

    It shows whether training was worthwhile. Empty if that encoder reads another language.
    """
    from groundvec.encoder import SentenceEncoder
    from groundvec.evaluation.ranks import DIRECTIONS, ranks
    from groundvec.image_encoder import ImageEncoder

    if captions["language"][0] not in recipe.description["languages"]:
        return {}
    images = images[images["split"].eq("test")]
    captions = captions[captions["split"].eq("test")]
    row_of_image = dict(zip(images["image_id"], range(len(images)), strict=True))
    ranks_of_directions = ranks(
        SentenceEncoder(recipe).encode(captions["caption"].tolist()),
        ImageEncoder(recipe).encode(images["path"]),  # its features are in the user's cache
        captions["image_id"].map(row_of_image).to_numpy(),
        recipe.description["similarity"],
    )
    hits = [100 * float((ranked <= cutoff).mean()) for ranked in ranks_of_directions]
    return dict(zip(DIRECTIONS, hits, strict=True))


def _description(
    arguments: argparse.Namespace, recipe: dict[str, Any], captions: "pd.DataFrame"
) -> dict[str, Any]:
    """Adapt a recipe to the captions: their language, and epochs for the number of pictures."""
    from groundvec.config.description import complete_description

    if "training" not in recipe:
        raise InputError(
            f"the model {arguments.recipe} has no training in its description: name another "
            "--recipe"
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
    settings.pop("more_captions", None)  # captions without pictures, which are not shipped
    complete_description(description, str(arguments.recipe))
    if pictures < ENOUGH:
        least = next(number for number in FEW if pictures >= number)
        epochs, batch_size = FEW[least]
        settings["epochs"] = epochs
        settings["batch_size"] = min(batch_size, pictures)
    if arguments.epochs:
        settings["epochs"] = arguments.epochs
    settings["cycle"] = settings["epochs"]  # a single learning rate cycle
    return description
