"""Train an encoder on your own captioned pictures.

CAPTIONS is a CSV file with the columns `image`, a file name within PHOTOS, and `caption`, and
optionally `split` (train, dev or test). Without it, a tenth of the pictures is for development and
a tenth for the test. Or CAPTIONS is a folder of pictures with Hugging Face's `metadata.csv`, with a
text next to each picture (a.txt for a.jpg), or with a folder for each class.

The training starts from the shipped encoder, or from another one (--from), and stops when it finds
no more development pictures. Then the weights before and after it are interpolated as development
captions say. So on these captions the result is never worse than the start.

--from none trains anew, by the recipe (parts, training and features) of a trained model. With fewer
than 3,000 training pictures, it has more epochs and smaller batches.

Finished work is kept in a folder next to the model. If the command was stopped, start it again.

Examples:
  groundvec train my/captions.csv my/photos -o my-encoder
  groundvec train my/photos -o my-encoder --from none --recipe flickr8k-bag
"""

import argparse
import copy
import logging
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from groundvec.cli.arguments import FOLDERS, at_least
from groundvec.cli.program import show
from groundvec.config.types import Description, Labels
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
# Limits of fine-tuning: the most epochs, the largest batch, and the factor of the recipe's learning
# rates. On 118 photographs outside Flickr8k with a caption each, factors of 0.2 to 1, and batches
# of 16 and 32, differed little: R@10 of 54 to 57 on 79 others (43 before). On drawn scenes,
# development recall still rose at epoch 12 of 12.
TUNING_EPOCHS = 30
TUNING_BATCH = 32
TUNING_RATE = 0.4
ENOUGH = 3000  # training pictures; with these the recipe is not changed
MANY = 100  # test pictures; with these R@10 is reported, with fewer R@1
DECISIVE = 50  # test pictures; fewer decide little
FEWEST = 2  # training pictures: the loss compares a caption's picture with another one

log = logging.getLogger(__name__)


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
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="MODEL",
        help=f"the folder to make{FOLDERS}",
    )
    parser.add_argument(
        "--from",
        dest="start",
        metavar="MODEL",
        help="the model to start from, or none (default: the one of --recipe, or flickr8k)",
    )
    parser.add_argument(
        "--recipe",
        metavar="MODEL",
        help="the model whose parts, training and features to copy (default: the one of --from, or "
        "flickr8k)",
    )
    parser.add_argument(
        "--precision",
        choices=("int8", "float32"),
        default="int8",
        help="of the weights that are written: 8 bits, or exact (default: %(default)s)",
    )
    parser.add_argument("--epochs", type=at_least(1), help="the most epochs (default: see above)")
    parser.add_argument("--seed", type=at_least(0), default=1, help="(default: %(default)s)")
    parser.add_argument("--device", help="cpu or cuda (default: cuda if available)")
    parser.set_defaults(overwrite=True)  # replace the unfinished work of an earlier run


def main(arguments: argparse.Namespace) -> None:
    """Train, score on held-out pictures, and write the model's folder."""
    output: Path = arguments.output
    check_new(output)
    photos: Path | None = arguments.photos
    if photos and not photos.is_dir():
        remedy = "name the captions, then the pictures' folder"
        raise InputError(f"{photos} is not a folder: {remedy}")
    work = output.with_name(f".{output.name}.unfinished")
    with extra("train"), locked(work, str(output), patience=0):
        try:
            _train(arguments, work)
        except KeyboardInterrupt:
            log.warning("finished work is kept: the same command resumes it")
            raise
        shutil.rmtree(work)


def _train(arguments: argparse.Namespace, work: Path) -> None:
    """Train in the folder `work`, or resume there, and copy the model to its own folder."""
    from groundvec.data import dataset
    from groundvec.model import hub
    from groundvec.sources import table

    # 1. The data and the recipe.
    output: Path = arguments.output
    captions_folder = arguments.captions
    if captions_folder.is_file():
        captions_folder = captions_folder.parent
    photos: Path = arguments.photos or captions_folder
    start_name = None if arguments.start == "none" else arguments.start
    recipe_name = arguments.recipe or start_name or "flickr8k"
    recipe = hub.find(recipe_name)
    before_name = start_name or recipe_name
    start = None if arguments.start == "none" else hub.find(before_name)
    captions, images = table.read(arguments.captions, photos)
    images = dataset.check_files(images)
    query = captions["caption"][0]

    # Torch, which takes seconds to import, comes after the checks above.
    from groundvec.card.card import card
    from groundvec.config import parts
    from groundvec.device import choose, deterministic
    from groundvec.evaluation.model_retrieval import score_folder
    from groundvec.evaluation.snapshots import ensemble
    from groundvec.features.backbones import of_features
    from groundvec.model import classes
    from groundvec.model.folder import ModelFolder
    from groundvec.model.packing import pack
    from groundvec.results import frames
    from groundvec.results.schemas import History, Retrieval
    from groundvec.runtime.files import size, write_bytes, write_json
    from groundvec.text.punctuation import detach_punctuation
    from groundvec.training.files import train_from_files
    from groundvec.training.fine_tuning import obstacle

    problem = start and obstacle(start, recipe, captions["language"][0])
    if problem:
        show(f"training starts from nothing, not from {before_name}: {problem}")
        start = None
        before_name = recipe_name
    before = start or recipe
    description = _description(arguments, recipe_name, recipe.description, captions, start)
    # The model reads training captions in the form that `encode` and `search` bring sentences into.
    captions["caption"] = detach_punctuation(captions["caption"], description["text"])
    deterministic()
    device = choose(arguments.device)
    captions_file = work / "captions.csv"
    features = work / "features.h5"
    dataset.write(work, captions, images)
    backbones = of_features(recipe.blocks, recipe.graphs)
    # The weights of the start read features that are scaled by its factors.
    factors = [backbone.factor for backbone in backbones] if start else None
    _extract(backbones, factors, work, features, device)

    # 2. The training, which alone computes in the recipe's precision; all else is in float32.
    [language] = description["languages"]
    train_captions = captions.loc[captions["split"] == "train", "caption"]
    if start:
        content = start.metadata["texts"][language]
    else:
        text_class = parts.find("text", description["text"]["name"])
        content = text_class.build(train_captions, **parts.options(description["text"])).as_dict()
    labels: Labels = {
        "dataset": photos.resolve().name or "/",
        "model": output.name,
        "seed": arguments.seed,
    }
    model = work / "model"
    choose(device, precision=description["training"]["precision"])
    train_from_files(
        description,
        labels,
        captions=captions_file,
        features=features,
        contents={language: content},
        work=work,
        output=model,
        device=device,
        start=start,
    )
    choose(device)
    history = frames.read(model / "history.csv", History)
    write_json(model / "ensemble.json", ensemble(history, ModelFolder(model).metadata))
    notes = []
    is_better = True
    if start:
        share, note = _interpolate(start, model, captions_file, features)
        is_better = share > 0
        notes.append(note)
        others = [code for code in start.description["languages"] if code != language]
        if others:
            notes.append(
                f"It is for {language} alone: sentences in {' or '.join(others)} are read as "
                f"{language}, and were not tested."
            )

    # 3. The folder to keep, and its scores.
    packed = work / "packed"
    shutil.rmtree(packed, ignore_errors=True)  # of a run that was stopped
    if arguments.precision == "float32":
        ModelFolder(model).copy(packed)
    else:
        # Codes would round away a part of what fine-tuning changes: on 20 photographs outside
        # Flickr8k, R@1 was 30 and 15 with them, and 35 and 30 without (its start: 15 and 15).
        pack(model, packed, images=False, codes=start is None)
    recipe.copy_files(packed, ["graphs"])
    if start:
        # The classifiers read features, which are the start's. The bank has vectors of the start's
        # captions. On photographs outside Flickr8k it still found more than one of few captions.
        start.copy_files(packed, ["bank", "classes"])
        classes.add_captions(packed, train_captions, language)
    scores, _ = score_folder(packed, captions_file, features, device)
    retrieval = work / "retrieval.csv"
    frames.write(retrieval, scores, Retrieval)
    lines: list[str] = []
    if is_better and language in before.description["languages"]:
        lines, is_better = _verdict(packed, before, output.name, before_name, captions, images)
    data_card = parts.options_schema("sources", "table")["card"] | {"of": _numbers(captions)}
    model_card = card(packed, data_card, [], retrieval, load=str(output), notes=[*lines, *notes])
    write_bytes(packed / "README.md", model_card.encode())
    ModelFolder(packed).copy(output)
    # In the end, a command to try the better model with.
    command = ["groundvec", "search", str(photos), query]
    command += ["--model", str(output) if is_better else before_name]
    written = f"written: {output} ({size(output) / 1e6:.1f} MB)"
    show(*notes, *lines, written, shlex.join(command))


def _numbers(captions: "pd.DataFrame") -> str:
    """Write how many captions and pictures a training reads."""
    from groundvec.data.split import CAPTIONS_PER_IMAGE

    used = captions.groupby("image_id").head(CAPTIONS_PER_IMAGE).groupby("split")["image_id"]
    pictures = used.nunique()
    return (
        f"{used.size()['train']:,} captions of {pictures['train']:,} pictures for training, "
        f"{pictures['dev']:,} pictures for development and {pictures['test']:,} for the test"
    )


def _interpolate(
    start: "ModelFolder", model: Path, captions: Path, features: Path
) -> tuple[float, str]:
    """Interpolate the weights of a fine-tuning.

    Returns:
        The share of the tuned weights, and a sentence about it.
    """
    from functools import partial

    from groundvec.data import dataset
    from groundvec.data.split import load_split
    from groundvec.features import store
    from groundvec.model.folder import ModelFolder
    from groundvec.training.fine_tuning import interpolate

    read_features = partial(store.read, features)
    texts = ModelFolder(model).texts
    dev = load_split(dataset.read_captions(captions), "dev", read_features, texts)
    share = interpolate(start, model, dev)
    name = start.path.name
    count = f"{len(dev.image_ids)} development pictures"
    if share == 0:
        few = ", which decide little" if len(dev.image_ids) < DECISIVE else ""
        return share, (
            f"Not improved: the weights of {name} stay, because fine-tuned ones find no more of "
            f"{count}{few}. Train on more pictures, or use {name}."
        )
    return share, (
        f"The weights are {share:g} x fine-tuned ones + {1 - share:g} x those of "
        f"{name}: so they find the most of {count} (WiSE-FT, Wortsman et al. 2022)."
    )


def _verdict(
    model: Path,
    before: "ModelFolder",
    name: str,
    before_name: str,
    captions: "pd.DataFrame",
    images: "pd.DataFrame",
) -> tuple[list[str], bool]:
    """Compare a model on the test pictures with the encoder that was there before it.

    Returns:
        A sentence per direction, and whether the model finds at least as many images by captions.
    """
    from groundvec.card.card import DIRECTION_WORDS
    from groundvec.evaluation.significance import compare_ranks

    pictures = int(images["split"].eq("test").sum())
    # Among ten pictures, all are among the first ten.
    cutoff, place = (10, "among ten") if pictures >= MANY else (1, "first")
    table = compare_ranks(
        held_out_ranks(model, captions, images), held_out_ranks(before, captions, images)
    )
    rows = table[table["measure"] == f"r{cutoff}"].to_dict("records")
    lines = []
    for row in rows:
        verdict = "no difference is shown"
        if row["low"] > 0 or row["high"] < 0:
            verdict = "better" if row["low"] > 0 else "worse"
        if pictures < DECISIVE:
            verdict += f"; {pictures} test pictures decide little"
        lines.append(
            f"{DIRECTION_WORDS[row['direction']].capitalize()}: {name} finds {row['a']:.1f}% "
            f"{place}, {before_name} {row['b']:.1f}%; difference {row['difference']:+.1f} "
            f"[{row['low']:+.1f}, {row['high']:+.1f}]: {verdict}."
        )
    [of_searches] = [row for row in rows if row["direction"] == "caption_to_image"]
    return lines, of_searches["difference"] >= 0


def held_out_ranks(
    folder: "str | Path | ModelFolder", captions: "pd.DataFrame", images: "pd.DataFrame"
) -> "pd.DataFrame":
    """Rank a model's test pictures by captions and captions by pictures (`FoundRanks`)."""
    import pandas as pd

    from groundvec.encoder import SentenceEncoder
    from groundvec.evaluation.retrieval import listed, rank_both_ways
    from groundvec.image_encoder import ImageEncoder

    images = images[images["split"].eq("test")]
    captions = captions[captions["split"].eq("test")]
    encoder = SentenceEncoder(folder)
    ranks = rank_both_ways(
        encoder.encode(captions["caption"].tolist(), language=captions["language"].iloc[0]),
        ImageEncoder(folder).encode(images["path"]),  # its features are in the user's cache
        pd.Index(images["image_id"]).get_indexer(captions["image_id"]),
        similarity=encoder.description["similarity"],
    )
    return listed(ranks).assign(test_set="test")


def _extract(
    backbones: "Sequence[Backbone]",
    factors: list[float] | None,
    work: Path,
    output: Path,
    device: str,
) -> None:
    """Write the features of a data set's pictures by several networks; see `concatenate`."""
    from groundvec.data import dataset
    from groundvec.features import store
    from groundvec.features.concatenation import concatenate
    from groundvec.features.extract import described_features, extract
    from groundvec.runtime.files import cache

    images = dataset.read_images(work / "images.csv")
    pictures = list(zip(images["path"], images["sha256"], strict=True))
    files = [work / f"features-{number}.h5" for number in range(len(backbones))]
    blocks = extract(pictures, backbones, cache(), device, cores())
    for file, backbone, block in zip(files, backbones, blocks, strict=True):
        store.write(file, block, images.image_id, described_features(backbone, device))
    features, attributes = concatenate(files, images, factors)
    store.write(output, features, images.image_id, attributes)


def _description(
    arguments: argparse.Namespace,
    recipe_name: str,
    recipe: Description,
    captions: "pd.DataFrame",
    start: "ModelFolder | None",
) -> Description:
    """Adapt a recipe to the captions: their language, and epochs for the number of pictures."""
    from groundvec.config.description import complete_description

    if "training" not in recipe:
        raise InputError(
            f"the model {recipe_name} has no training in its description: name another --recipe"
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
    complete_description(description, recipe_name)
    if pictures < ENOUGH:
        least = next(number for number in FEW if pictures >= number)
        epochs, batch_size = FEW[least]
        settings["epochs"] = epochs
        settings["batch_size"] = min(batch_size, pictures)
    if start:
        settings["epochs"] = TUNING_EPOCHS
        settings["batch_size"] = min(TUNING_BATCH, pictures)
        for name, value in settings["optimizer"].items():
            if name.startswith("learning_rate"):
                settings["optimizer"][name] = TUNING_RATE * value
    if arguments.epochs:
        settings["epochs"] = arguments.epochs
    settings["cycle"] = settings["epochs"]  # a single learning rate cycle
    return description
