"""A split of a data set, which training and evaluation share."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from groundvec.config.types import Metadata
from groundvec.data import dataset
from groundvec.runtime.arrays import Matrix
from groundvec.runtime.errors import InputError

log = logging.getLogger(__name__)

SENTENCES_PER_BLOCK = 2**16
CAPTIONS_PER_IMAGE = 5  # further captions of an image are not used, as in all published results
UNENCODED = SimpleNamespace(encode=list)  # a text that does not change captions


@dataclass
class Captions:
    """The captions of one language."""

    encoded: Any  # M captions, encoded by the language's text
    image: np.ndarray  # (M,) the row of each caption's image
    # (M,) the caption's number among that image's captions, from 0; -1 if only `another` draws it
    order: np.ndarray

    @property
    def images(self) -> int:
        """Count the images."""
        return int(self.image.max(initial=-1)) + 1

    def any_of(self, image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw one caption of each of these images (B,)."""
        rows, _, first, counts = self._by_image
        return rows[first[image] + rng.integers(counts[image])]

    def another(self, captions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw another caption of the image of each of these captions (B,); itself if alone."""
        rows, place, first, counts = self._by_image
        image = self.image[captions]
        # A step of 1 to count - 1 around the circle of an image's captions never ends at its start.
        steps = 1 + rng.integers(np.maximum(counts[image] - 1, 1))
        places = first[image] + (place[captions] - first[image] + steps) % counts[image]
        return rows[places]

    @cached_property
    def _by_image(self) -> tuple[np.ndarray, ...]:
        """Sort captions by image.

        Returns:
            The rows of the captions, sorted by image; the place of each caption among these; and
            by image, the place of its first caption and the number of its captions.
        """
        rows = np.argsort(self.image, kind="stable")
        counts = np.bincount(self.image)
        return rows, np.argsort(rows), counts.cumsum() - counts, counts


@dataclass
class Split:
    """Images and their captions, by language; large arrays may be mapped from files."""

    image_ids: np.ndarray  # (N,) str
    features: Matrix  # (N, width)
    captions: dict[str, Captions]
    text_only_captions: Captions | None = None  # without images

    def epoch(self, batch_size: int, seed: int, epoch: int) -> Iterator[dict[str, np.ndarray]]:
        """Yield the batches of one epoch: rows of captions by language, all of the same images.

        The last incomplete batch of a pass is dropped. For every further language, one caption of
        the same image is drawn. Everything is a function of the seed and the epoch.
        """
        (language, first), *others = self.captions.items()
        rng = np.random.default_rng([seed, epoch])
        # The images are shuffled once and passed over in that order: first with caption 0 of each,
        # then with caption 1, and so on. So no batch has two captions of one image: the
        # loss would take each for a wrong caption of the other's image.
        place = rng.permutation(len(self.features))[first.image]
        drawn = {name: captions.any_of(first.image, rng) for name, captions in others}
        for number in range(first.order.max() + 1):
            rows = np.flatnonzero(first.order == number)
            rows = rows[np.argsort(place[rows])]
            for start in range(0, len(rows) - batch_size + 1, batch_size):
                batch = {language: rows[start : start + batch_size]}
                for name, captions in drawn.items():
                    batch[name] = captions[batch[language]]
                yield batch

    def permute_images(self, seed: int) -> None:
        """Give every image the features of another one, drawn with the seed."""
        images = np.random.default_rng(seed).permutation(len(self.features))
        # In a shuffled circle, each image gets its neighbor's features: none keeps its own.
        source = np.empty_like(images)
        source[images] = np.roll(images, 1)
        self.features = self.features[source]

    def batches(self, batch_size: int) -> int:
        """Count the batches of an epoch."""
        first = next(iter(self.captions.values()))
        return int((np.bincount(first.order[first.order >= 0]) // batch_size).sum())


def captions_of(metadata: Metadata, path: str | Path) -> pd.DataFrame:
    """Read the captions that a model was trained with: all of its data set, or a draw.

    Args:
        metadata: the content of the model's model.json.
        path: the data set's captions.csv.
    """
    captions = dataset.read_captions(path)
    if "draw" not in metadata:
        return captions
    return drawn(captions, metadata["draw"], metadata["seed"])


def drawn(captions: pd.DataFrame, counts: Sequence[int], seed: int) -> pd.DataFrame:
    """Draw `counts` train, dev and test images, and return their captions.

    Raises:
        InputError: a split has fewer images.
    """
    chosen: list[str] = []
    for number, (split, count) in enumerate(zip(dataset.SPLITS, counts, strict=True)):
        images = captions.loc[captions["split"] == split, "image_id"].unique()
        if count > len(images):
            raise InputError(
                f"{count} {split} images cannot be drawn from {len(images)}: make `draw` smaller "
                "in the configuration"
            )
        # A generator of its own for each split: a larger train draw leaves the test images alone.
        rng = np.random.default_rng([seed, number])
        chosen += rng.choice(images, count, replace=False).tolist()
    return captions[captions["image_id"].isin(chosen) | captions["split"].eq(dataset.MORE)]


def load_split(
    captions: pd.DataFrame,
    name: str,
    read_features: Callable[[np.ndarray], Matrix],
    texts: Mapping[str, Any],
) -> Split:
    """Load one split of a data set: the images that have captions in all languages.

    Args:
        captions: see `groundvec.data.dataset.read_captions`.
        name: train, dev or test.
        read_features: returns the features (N, width) of images with these ids.
        texts: the text (`groundvec.text`) that encodes the captions, by language.

    Raises:
        InputError: the split has no captions in one of the languages, or no image has in all.
    """
    # Languages that only `more_captions` has share the first one's text. Their training captions
    # are added to that one's, for `Captions.another` to draw.
    tested = captions["language"][captions["split"].isin(["dev", "test"])]
    untested = set(captions["language"][captions["split"].eq(dataset.MORE)]) - set(tested)
    further = captions[captions["split"].eq(name) & captions["language"].isin(untested & {*texts})]
    texts = {language: text for language, text in texts.items() if language not in untested}
    captions = captions[captions["split"].eq(name) & captions["language"].isin(list(texts))]
    for language in texts:
        if not captions["language"].eq(language).any():
            raise InputError(
                f"the data set has no {name} captions in language {language}: write some, or "
                "choose another language"
            )
    if len(texts) > 1:
        captions = _in_all(captions, name, list(texts))
    order = captions.groupby(["language", "image_id"], sort=False).cumcount()
    captions = captions.assign(order=order)[order < CAPTIONS_PER_IMAGE]
    further = further[further["image_id"].isin(captions["image_id"])]
    captions = pd.concat([captions, further.assign(order=-1, language=next(iter(texts)))])
    image, names = pd.factorize(captions["image_id"])
    captions = captions.assign(image=image)
    image_ids = np.asarray(names)
    encoded = {
        language: _encoded(captions[captions["language"] == language], text)
        for language, text in texts.items()
    }
    return Split(image_ids, read_features(image_ids), encoded)


def load_text_only(captions: pd.DataFrame, texts: Mapping[str, Any]) -> Captions:
    """Load the captions without pictures in these languages, which share one text."""
    rows = captions[captions["split"].eq(dataset.MORE) & captions["language"].isin(list(texts))]
    image = pd.factorize(rows["image_id"])[0]
    order = rows.groupby("image_id").cumcount()
    return _encoded(rows.assign(image=image, order=order), next(iter(texts.values())))


def _encoded(rows: pd.DataFrame, text: Any) -> Captions:
    """Encode captions that have columns `image` and `order`."""
    encoded = encode(text, rows["caption"].tolist())
    return Captions(encoded, rows["image"].to_numpy(), rows["order"].to_numpy())


def encode(text: Any, sentences: list[str]) -> Any:
    """Encode sentences, block by block if blocks can be joined: memory holds only one."""
    starts = range(0, len(sentences), SENTENCES_PER_BLOCK)
    blocks = (text.encode(sentences[start : start + SENTENCES_PER_BLOCK]) for start in starts)
    if len(starts) <= 1 or not hasattr(text.encode(sentences[:1]), "join"):
        return text.encode(sentences)
    first = next(blocks)
    return first.join(chain([first], blocks))


def _in_all(captions: pd.DataFrame, name: str, languages: list[str]) -> pd.DataFrame:
    """Select the captions of images that have some in each of the languages."""
    counts = captions.groupby("image_id")["language"].nunique()
    left_out = counts.index[counts < len(languages)]
    if len(left_out) == len(counts):
        raise InputError(
            f"no {name} image of the data set has captions in each of {', '.join(languages)}: "
            "write some, or choose other languages"
        )
    if len(left_out):
        log.warning(
            "%d of %d %s images are left out: they have no caption in one of %s",
            len(left_out),
            len(counts),
            name,
            ", ".join(languages),
        )
    return captions[~captions["image_id"].isin(left_out)]
