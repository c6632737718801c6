"""A panel of the page that runs a bag of n-grams in the browser, without a server.

The panel contains the encoder's weights and the vectors of a test set, in 8 bits and base 64, and a
script that hashes n-grams and adds their embeddings.
"""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from markupsafe import Markup

from groundvec.card.card import LANGUAGES
from groundvec.card.templates import fill
from groundvec.data.cleaning import LONGEST, SUBSTITUTIONS
from groundvec.model.network import Model
from groundvec.model.weights import to_int8
from groundvec.text.punctuation import substitutions
from reproduction.reporting.embedded import Embedded
from reproduction.reporting.systems import NAMES

IMAGES = 1000  # images to search in; limits the page's size, and is the size of most test sets
EXAMPLES = 3  # captions that a reader can try with a click, from all of the test set


def is_runnable(description: Mapping[str, Any]) -> bool:
    """Return whether the panel can run a model: a bag of n-grams that compares cosines."""
    names = (description["text"]["name"], description["encoder"]["name"])
    return names == ("ngrams", "bag") and description["similarity"] == "cosine"


def panel(models: Sequence[Model], embedded: Embedded, dataset: str, name: str) -> str:
    """Write the panel as HTML for a page.

    Args:
        models: the ensemble, which is `is_runnable`.
        embedded: the test set, embedded by the ensemble in its first language. The panel searches
            its first 1,000 images and their captions.
        dataset: name of the test set's data set.
        name: of the model.
    """
    description = models[0].description
    [language, text] = next(iter(models[0].texts.items()))
    embedded = first(embedded, IMAGES)
    distinct = list(dict.fromkeys(embedded.captions))
    matrices = {"images": embedded.image_vectors, "captions": embedded.caption_vectors}
    for number, model in enumerate(models):
        encoder: Any = model.captions[model.name_of(language)]
        # N-grams with their weights, and the projection with its bias as the last column.
        idf = 1 if encoder.idf is None else encoder.idf[:, None]
        projection = [encoder.projection.weight, encoder.projection.bias[:, None]]
        matrices[f"embedding-{number}"] = (idf * encoder.embedding.weight).detach().numpy()
        matrices[f"projection-{number}"] = torch.cat(projection, dim=1).detach().numpy()
    values = dict(
        dataset=NAMES.get(dataset, dataset),
        model=name,
        code=language,
        language=LANGUAGES.get(language, language),
        images=len(embedded.image_ids),
        captions=embedded.captions,
        examples=distinct[:: -(-len(distinct) // EXAMPLES)],
        about={
            "text": text.as_dict(),
            "cleaning": SUBSTITUTIONS,
            "substitutions": substitutions(description["text"]),
            "longest": LONGEST,
            "models": list(range(len(models))),
            "embedding": description["encoder"]["embedding"],
            "idf": description["encoder"].get("idf", False),
            "state": description["encoder"].get("state", False),
            "rows": {key: len(matrix) for key, matrix in matrices.items()},
            "dataset": dataset,
            "ids": [str(image) for image in embedded.image_ids],
            "captions": embedded.captions,
            "image": embedded.image.tolist(),
        },
        packed={key: small(matrix) for key, matrix in matrices.items()},
        script=Markup(Path(__file__).with_suffix(".js").read_text("utf-8")),
    )
    return fill(Path(__file__).with_suffix(".html"), values, autoescape=True)


def first(embedded: Embedded, images: int) -> Embedded:
    """Select the first images of a test set, with their captions."""
    rows = np.flatnonzero(embedded.image < images)
    return Embedded(
        captions=[embedded.captions[row] for row in rows],
        image=embedded.image[rows],
        image_ids=embedded.image_ids[:images],
        caption_vectors=embedded.caption_vectors[rows],
        image_vectors=embedded.image_vectors[:images],
        similarity=embedded.similarity,
    )


def small(matrix: np.ndarray) -> str:
    """Write a matrix (N, size) in base 64: N scales in float32, then N x size numbers in int8."""
    numbers, scales = to_int8(matrix)
    return base64.b64encode(scales.astype("<f4").tobytes() + numbers.tobytes()).decode()
