"""Captioned pictures in memory: image features, and captions as character indices."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.errors import InputError
from groundvec.features import store
from groundvec.text.characters import Encoded, Vocabulary

CAPTIONS_PER_IMAGE = 5  # later captions of an image are not used, as in all published results


@dataclass
class Pairs:
    """One split of a data set.

    A whole MSCOCO takes about 1 GB: the features, and two bytes a character.
    """

    image_ids: np.ndarray  # (N,) str
    features: np.ndarray  # (N, width) float32
    captions: Encoded  # M captions
    image: np.ndarray  # (M,) the row of each caption's image
    order: np.ndarray  # (M,) its place among that image's captions, from 0

    def epoch(self, batch_size: int, seed: int, epoch: int) -> Iterator[np.ndarray]:
        """The batches of one epoch, as arrays of caption rows.

        The images are shuffled once and passed over in that order, with caption 0, then caption
        1, and so on; the last incomplete batch of a pass is dropped. So no batch holds two
        captions of one image. The order is a function of the seed and the epoch alone.
        """
        place = np.random.default_rng([seed, epoch]).permutation(len(self.features))[self.image]
        for k in range(self.order.max() + 1):
            rows = np.flatnonzero(self.order == k)
            rows = rows[np.argsort(place[rows])]
            for start in range(0, len(rows) - batch_size + 1, batch_size):
                yield rows[start : start + batch_size]

    def batches(self, batch_size: int) -> int:
        """The number of batches in an epoch."""
        return int((np.bincount(self.order) // batch_size).sum())


def load_pairs(captions: pd.DataFrame, features: Path, vocabulary: Vocabulary, split: str) -> Pairs:
    """Bring one split of a data set into memory.

    Args:
        captions: the data set's captions, of one language.
        features: its HDF5 file of image features.
        split: train, dev or test.

    Raises:
        InputError: the split has no captions.
    """
    languages = ", ".join(captions["language"].unique())
    captions = captions[captions["split"] == split]
    if captions.empty:
        raise InputError(
            f"the data set has no {split} captions in language {languages}: write some, or choose "
            "another language"
        )
    order = captions.groupby("image_id", sort=False).cumcount().to_numpy()
    used = order < CAPTIONS_PER_IMAGE
    image, image_ids = pd.factorize(captions["image_id"][used])
    return Pairs(
        image_ids=np.asarray(image_ids),
        features=store.read(features, image_ids),
        captions=vocabulary.encode(captions["caption"][used].tolist()),
        image=image,
        order=order[used],
    )
