"""The bank of a trained model: a search normalizes its cosines by these training captions.

The centers of a k-means clustering stand for all training captions. A center's weight is its share
of the captions. 256 centers find nearly as much as 6,000 drawn captions (docs/best.md), and take
0.13 MB in 8 bits.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groundvec import querybank
from groundvec.model.folder import BANK, ModelFolder
from groundvec.model.stored import SCALE, Weights
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_bytes, write_json

CENTERS = 256
INVERSE_TEMPERATURE = 15  # the best with 256 centers on Flickr8k's development set; 20 is as good


class Bank(NamedTuple):
    """Queries that stand for all others."""

    centers: np.ndarray  # (C, size)
    shares: np.ndarray  # (C,) of the captions that a center stands for
    inverse_temperature: float

    def normalizers(self, images: np.ndarray) -> np.ndarray:
        """Compute the normalizers of embedded images (N, size): (N,) float32."""
        return querybank.normalizers(self.centers, images, self.inverse_temperature, self.shares)


def read(folder: ModelFolder) -> Bank | None:
    """Read the bank of a trained model, if it has one.

    Raises:
        InputError: its file is missing or damaged, or has other shapes than model.json says.
    """
    about = folder.metadata.get("bank")
    if about is None:
        return None
    stored = Weights(folder.path / BANK, about["sha256"])
    centers = stored("centers", about["centers"], folder.description["encoder"]["size"])
    shares = stored("shares", about["centers"])
    stored.check_rest()
    if not (shares > 0).all():
        raise stored.wrong("a share that is not above 0")
    return Bank(centers, shares, about["inverse_temperature"])


def make(folder: Path, captions: Path) -> None:
    """Add a bank of its training captions to a trained model, and name it in its model.json.

    Args:
        folder: the trained model, which compares cosines.
        captions: the captions.csv of its data set.

    Raises:
        InputError: the model does not compare cosines, or there are no captions.
    """
    from groundvec.data.split import captions_of
    from groundvec.model.network import load_ensemble
    from groundvec.model.sentences import encode_sentences

    model = ModelFolder(folder)
    content = model.metadata
    similarity = model.description["similarity"]
    if similarity != "cosine":
        raise InputError(f"a bank normalizes cosines, and {folder} has {similarity}: make none")
    models = load_ensemble(model)
    table = captions_of(content, captions)
    training = table[table["split"].eq("train") & table["language"].isin(list(models[0].texts))]
    if training.empty:
        raise InputError(f"{captions} has no training captions of this model: name its data set's")
    vectors = [
        encode_sentences(models, rows["caption"].tolist(), str(language))
        for language, rows in training.groupby("language")
    ]
    size = model.description["encoder"]["size"]  # further columns do not compare with images
    bank = cluster(np.concatenate(vectors)[:, :size])
    data = _to_bytes(bank)
    write_bytes(folder / BANK, data, replace=True)
    content["bank"] = {
        "centers": len(bank.centers),
        "inverse_temperature": bank.inverse_temperature,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    write_json(folder / "model.json", content, replace=True)


def cluster(captions: np.ndarray, most: int = CENTERS) -> Bank:
    """Make a bank of at most `most` centers of the vectors of captions (N, size)."""
    from sklearn.cluster import MiniBatchKMeans

    count = min(most, len(captions))
    clusters = MiniBatchKMeans(count, batch_size=4096, n_init=1, random_state=0).fit(captions)
    members = np.bincount(clusters.labels_, minlength=count)
    # A cluster may have lost all of its captions in the last step.
    kept = members > 0
    centers = clusters.cluster_centers_[kept].astype(np.float32)
    return Bank(centers, members[kept] / len(captions), INVERSE_TEMPERATURE)


def _to_bytes(bank: Bank) -> bytes:
    """Write a bank as safetensors, in the form of `groundvec.model.stored`."""
    from safetensors.numpy import save

    from groundvec.model.weights import to_int8

    rounded, scale = to_int8(bank.centers)
    arrays = {
        "centers": rounded,
        "centers" + SCALE: scale[:, 0],
        "shares": bank.shares.astype(np.float32),
    }
    return save(arrays)
