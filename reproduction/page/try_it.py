"""A panel of the page in which to try an encoder: it runs there, and needs no server.

Everything is in the panel: ONNX Runtime Web, the exported encoder, and the vectors of a test set,
each compressed and in base 64. The page unpacks them when somebody first comes to the input.
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

PICTURES = 1000  # to search in, as many as most test sets have; bounds the size of the page
EXAMPLES = 3  # captions that a reader may try with a click
TEXTS = ("characters", "words")  # that try_it.js reads
SAME = 5e-5  # vectors that differ by less are as good as equal
# Of the runtime's builds the smallest that has the operators: CPU only, with its loader inside.
RUNTIME = {"code": "ort.wasm.bundle.min.mjs", "wasm": "ort-wasm-simd-threaded.wasm"}


def panel(
    encoder: str | Path, embedded: Embedded, dataset: str, model: str, runtime: dict[str, bytes]
) -> str:
    """Write the panel, as HTML for a page; InputError if there is an `obstacle` to it.

    Args:
        encoder: a file of `groundvec.export.onnx.export`.
        embedded: the test set, embedded by this encoder's model; its first 1,000 pictures and
            their captions are searched in.
        dataset: its name.
        runtime: the result of `runtime_files`.
    """
    properties = {entry.key: entry.value for entry in onnx.load(encoder).metadata_props}
    about = json.loads(properties["groundvec"])
    if why := obstacle(about["description"]):
        raise InputError(f"{model} {why}: take another model")
    embedded = first(embedded, PICTURES)
    packed = runtime | {
        "model": Path(encoder).read_bytes(),
        "vectors": small(np.concatenate([embedded.image_vectors, embedded.caption_vectors])),
    }
    values = dict(
        dataset=NAMES.get(dataset, dataset),
        model=model,
        code=about["language"],
        language=LANGUAGES.get(about["language"], about["language"]),
        images=len(embedded.image_ids),
        captions=embedded.captions,
        examples=spread(embedded.captions, EXAMPLES),
        about={
            "text": about["text"],
            "cleaning": about["cleaning"],
            "substitutions": about["substitutions"],
            "similarity": about["description"]["similarity"],
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
    """Take so many pictures of a test set, with their captions."""
    own = np.flatnonzero(embedded.image < pictures)
    return Embedded(
        captions=[embedded.captions[row] for row in own],
        image=embedded.image[own],
        image_ids=embedded.image_ids[:pictures],
        caption_vectors=embedded.caption_vectors[own],
        image_vectors=embedded.image_vectors[:pictures],
        similarity=embedded.similarity,
    )


def spread(captions: Sequence[str], count: int) -> list[str]:
    """Take so many different captions of a test set, evenly spread over it."""
    known = list(dict.fromkeys(captions))
    return [known[(2 * k + 1) * len(known) // (2 * count)] for k in range(min(count, len(known)))]


def precision(models: Sequence[Model], sentences: Sequence[str]) -> str:
    """Return half precision if the vectors of some sentences stay the same; else single.

    Half precision halves the panel. Numbers of long vectors are small, and so are their roundings.
    """
    halves = [copy.deepcopy(model).half().float() for model in models]
    one, other = (SentenceEncoder(each).encode(sentences) for each in (models, halves))
    return "float16" if np.abs(one - other).max() < SAME else "float32"


def obstacle(description: dict[str, Any]) -> str:
    """Say why a page cannot read sentences as this model does, or run its encoder; empty if it can.

    The page's script reads characters and words; it has no tokenizer such as Moses.
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
        archive: of the package, from `npm pack`.
        sha512: its sum, in hexadecimal.
    """
    try:
        if hashlib.sha512(Path(archive).read_bytes()).hexdigest() != sha512:
            raise InputError(f"{archive} is damaged or another version: delete it and get it again")
    except FileNotFoundError:
        raise InputError(f"{archive} does not exist: `npm pack onnxruntime-web` gets it") from None
    with tarfile.open(archive) as package:
        files = {key: package.extractfile(f"package/dist/{RUNTIME[key]}") for key in RUNTIME}
        return {key: file.read() for key, file in files.items() if file}


def small(vectors: np.ndarray) -> bytes:
    """Pack vectors (N, size) as int8 with a scale for each: N float32, then N x size numbers."""
    numbers, scales = to_int8(vectors)
    return scales.astype("<f4").tobytes() + numbers.tobytes()


def pack(data: bytes) -> str:
    """Compress data for a page, in base 64; the same data gives the same text."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()
