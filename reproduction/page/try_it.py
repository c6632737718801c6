"""A panel of the page that runs an encoder in the browser, without a server.

The panel contains ONNX Runtime Web, the exported encoder, and the vectors of a test set, each
compressed and in base 64. The page unpacks them when a reader first focuses the input.
"""

import base64
import copy
import gzip
import hashlib
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from markupsafe import Markup

from groundvec.card.card import LANGUAGES
from groundvec.card.templates import fill
from groundvec.config import parts
from groundvec.data.cleaning import LONGEST
from groundvec.encoder import SentenceEncoder
from groundvec.model.network import Model
from groundvec.model.weights import to_int8
from groundvec.runtime.errors import InputError
from reproduction.reporting.embedded import Embedded
from reproduction.reporting.systems import NAMES

PICTURES = 1000  # images to search in; limits the page's size, and is the size of most test sets
EXAMPLES = 3  # captions that a reader can try with a click
TEXTS = ("characters", "words")  # the texts that try_it.js can read
SAME = 5e-5  # vectors with smaller differences count as equal
# The smallest of the runtime's builds that has the operators: CPU only, with its loader inside.
RUNTIME = {"code": "ort.wasm.bundle.min.mjs", "wasm": "ort-wasm-simd-threaded.wasm"}


def panel(
    encoder: str | Path, embedded: Embedded, dataset: str, model: str, runtime: dict[str, bytes]
) -> str:
    """Write the panel as HTML for a page.

    Args:
        encoder: a file of `groundvec.export.onnx.export`.
        embedded: the test set, embedded by this encoder's model. The panel searches its first
            1,000 images and their captions.
        dataset: name of the test set's data set.
        model: name of the model.
        runtime: the result of `runtime_files`.

    Raises:
        InputError: the model has an `obstacle`.
    """
    properties = {entry.key: entry.value for entry in onnx.load(encoder).metadata_props}
    metadata = json.loads(properties["groundvec"])
    reason = obstacle(metadata["description"])
    if reason:
        raise InputError(f"{model} {reason}: take another model")
    embedded = first(embedded, PICTURES)
    packed = runtime | {
        "model": Path(encoder).read_bytes(),
        "vectors": small(np.concatenate([embedded.image_vectors, embedded.caption_vectors])),
    }
    values = dict(
        dataset=NAMES.get(dataset, dataset),
        model=model,
        code=metadata["language"],
        language=LANGUAGES.get(metadata["language"], metadata["language"]),
        images=len(embedded.image_ids),
        captions=embedded.captions,
        examples=spread(embedded.captions, EXAMPLES),
        about={
            "text": metadata["text"],
            "cleaning": metadata["cleaning"],
            "substitutions": metadata["substitutions"],
            "similarity": metadata["description"]["similarity"],
            "longest": LONGEST,
            "dataset": dataset,
            "ids": [str(image) for image in embedded.image_ids],
            "captions": embedded.captions,
            "image": embedded.image.tolist(),
        },
        packed={name: pack(data) for name, data in packed.items()},
        script=Markup(Path(__file__).with_suffix(".js").read_text("utf-8")),
    )
    return fill(Path(__file__).with_suffix(".html"), values, autoescape=True)


def first(embedded: Embedded, pictures: int) -> Embedded:
    """Select the first images of a test set, with their captions."""
    rows = np.flatnonzero(embedded.image < pictures)
    return Embedded(
        captions=[embedded.captions[row] for row in rows],
        image=embedded.image[rows],
        image_ids=embedded.image_ids[:pictures],
        caption_vectors=embedded.caption_vectors[rows],
        image_vectors=embedded.image_vectors[:pictures],
        similarity=embedded.similarity,
    )


def spread(captions: Sequence[str], count: int) -> list[str]:
    """Select `count` different captions, at even distances over the test set."""
    distinct = list(dict.fromkeys(captions))
    # The middles of `count` parts of equal length.
    rows = [(2 * k + 1) * len(distinct) // (2 * count) for k in range(min(count, len(distinct)))]
    return [distinct[row] for row in rows]


def precision(models: Sequence[Model], sentences: Sequence[str]) -> str:
    """Return "float16" if half precision leaves the sentences' vectors the same, else "float32".

    Half precision halves the panel. The entries of long unit vectors are small, and so are their
    rounding errors.
    """
    # `half` rounds the weights, and `float` lets the CPU compute with them.
    halves = [copy.deepcopy(model).half().float() for model in models]
    in_single = SentenceEncoder(models).encode(sentences)
    in_half = SentenceEncoder(halves).encode(sentences)
    return "float16" if np.abs(in_single - in_half).max() < SAME else "float32"


def obstacle(description: dict[str, Any]) -> str:
    """Return why a page cannot run this model's text and encoder, or "" if it can.

    The page's script reads characters and words. It has no tokenizer such as Moses.
    """
    text = description["text"]
    encoder = description["encoder"]["name"]
    if text["name"] not in TEXTS:
        return f"reads {text['name']}, and a page can read characters and words only"
    if "tokens" in parts.provided("text", text):
        return "reads words of a tokenizer that a page does not have"
    return "" if encoder in parts.exported() else f"has the encoder {encoder}, without ONNX export"


def runtime_files(archive: str | Path, sha512: str) -> dict[str, bytes]:
    """Read the files of ONNX Runtime Web that a page needs, by their names in `RUNTIME`.

    Args:
        archive: the package's archive, from `npm pack`.
        sha512: the archive's checksum, in hexadecimal.
    """
    try:
        if hashlib.sha512(Path(archive).read_bytes()).hexdigest() != sha512:
            raise InputError(
                f"{archive} is damaged or another version: delete and download it again"
            )
    except FileNotFoundError:
        raise InputError(f"{archive} does not exist: `npm pack onnxruntime-web` gets it") from None
    with tarfile.open(archive) as package:
        files = {key: package.extractfile(f"package/dist/{RUNTIME[key]}") for key in RUNTIME}
        return {key: file.read() for key, file in files.items() if file}


def small(vectors: np.ndarray) -> bytes:
    """Pack vectors (N, size) as N scales in float32, followed by N x size numbers in int8."""
    numbers, scales = to_int8(vectors)
    return scales.astype("<f4").tobytes() + numbers.tobytes()


def pack(data: bytes) -> str:
    """Compress data for a page, in base 64; equal data result in equal texts."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()
