"""Sample retrievals by a data set's best models on its test set."""

import base64
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.config import parts
from groundvec.features.images import load
from reproduction.render.samples import search
from reproduction.reporting.embedded import (
    Embedded,
    check_one_dataset,
    embed,
    given_treebank,
    paths_of,
)
from reproduction.reporting.measures import recall
from reproduction.reporting.results import Results
from reproduction.reporting.systems import described

MODELS = 3
QUERIES = 12
SEED = 1
# All images of Flickr8k's test set. From a larger test set, the page gets the images of the queries
# and results, and the first others.
THUMBNAILS = 1000
SIDE = 144  # of a thumbnail, in pixels
QUALITY = 55  # of a thumbnail, on WebP's scale to 100


def gallery(results: Results) -> dict[str, Any]:
    """Retrieve with the best models of a data set, for random images of its test set.

    Args:
        results: models, retrieval, captions, images and features of one data set, and treebanks.

    Returns:
        The keys dataset; own (`early` of its source); drawn, whether its source draws the images;
        models, each with its `queries`, the best first; images and captions, their numbers; and
        thumbnails, with WebP in base 64 and a caption for each image.
    """
    treebank = given_treebank(results)
    models: list[dict[str, Any]] = []
    captions: dict[str, str] = {}
    counts: dict[str, int] = {}
    for _, row in best(check_one_dataset(results.retrieval)).iterrows():
        training = described(results.models, row["dataset"], row["model"], row["seed"])
        embedded = embed(results, training, ensemble=True, treebank=treebank)
        counts = counts or {"images": len(embedded.image_ids), "captions": len(embedded.captions)}
        names = {str(name): value for name, value in row.items()}
        models.append(names | {"language": training["languages"][0], **queries(embedded)})
        # Models may read different languages; the first model's caption describes the image.
        for image_row, text in _first_captions(embedded).items():
            captions.setdefault(str(embedded.image_ids[image_row]), text)
    path_of = paths_of(results, captions)
    visible: dict[str, None] = {}  # the images of queries and results, each once
    for query in chain.from_iterable(model["to_images"] for model in models):
        visible[query["image"]] = None
        visible |= dict.fromkeys(hit["image"] for hit in query["found"])
    images = list(dict.fromkeys([*visible, *captions]))
    images = images[: max(THUMBNAILS, len(visible))]
    thumbnails = {}
    for image in sorted(images):
        picture = small_picture(path_of[image], (SIDE, SIDE), quality=QUALITY, method=6)
        thumbnails[image] = {"webp": picture["webp"], "caption": captions[image]}
    source = parts.options_schema("sources", results.models["data_source"].iloc[0])
    data = {"dataset": models[0]["dataset"], "own": source.get("early", False), **counts}
    data["drawn"] = "pictures" in source.get("outputs", {})
    return data | {"models": models, "thumbnails": thumbnails}


def best(retrieval: pd.DataFrame) -> pd.DataFrame:
    """Select the models with the best R@10 on the development set, by the mean over seeds.

    The result has the ensemble of each model's first seed.
    """
    dev = recall(retrieval, "dev")
    dev = dev.query("kind == 'ensemble'").sort_values("seed", kind="stable")
    dev["mean"] = dev.groupby("model")["r10"].transform("mean")
    first = dev.drop_duplicates("model").sort_values("mean", ascending=False, kind="stable")
    selected: pd.DataFrame = first[["dataset", "model", "seed", "epochs"]].head(MODELS)
    return selected.reset_index(drop=True)


def queries(embedded: Embedded) -> dict[str, list[Any]]:
    """Retrieve for random images and for the first caption of each.

    Returns:
        The tasks to_images (images by a caption), to_captions (captions by an image) and
        to_sentences (other captions by a caption). A query has its image and caption, and the
        results `found`, each with rank, right, score, and the image or the caption.
    """
    caption_vectors = embedded.caption_vectors
    image_vectors = embedded.image_vectors
    images = [{"image": str(image)} for image in embedded.image_ids]
    captions = [{"caption": text} for text in embedded.captions]
    first = _first_captions(embedded)

    def hits(
        query: np.ndarray, candidates: np.ndarray, right: np.ndarray, items: list[dict[str, str]]
    ) -> list[dict[str, Any]]:
        return [
            {"rank": rank, "right": is_right, "score": round(score, 3), **items[row]}
            for rank, row, is_right, score in search(embedded, query, candidates, right)
        ]

    tasks: dict[str, list[Any]] = {"to_images": [], "to_captions": [], "to_sentences": []}
    for row in np.random.default_rng(SEED).permutation(list(first))[:QUERIES]:
        query = {**images[row], "caption": first[row]}
        of_image = embedded.image == row
        caption = int(of_image.argmax())
        is_image = np.arange(len(images)) == row
        found = hits(caption_vectors[caption], image_vectors, is_image, images)
        tasks["to_images"].append({**query, "found": found})
        found = hits(image_vectors[row], caption_vectors, of_image, captions)
        tasks["to_captions"].append({**query, "found": found})
        # The query is no candidate of its own.
        other_captions = np.delete(np.arange(len(captions)), caption)
        if of_image[other_captions].any():
            texts = [captions[k] for k in other_captions]
            candidates = caption_vectors[other_captions]
            found = hits(caption_vectors[caption], candidates, of_image[other_captions], texts)
            tasks["to_sentences"].append({**query, "found": found})
    return tasks


def _first_captions(embedded: Embedded) -> dict[int, str]:
    """Return the first caption of each image that has one, by the image's row."""
    rows, first = np.unique(embedded.image, return_index=True)
    return {int(row): embedded.captions[k] for row, k in zip(rows, first, strict=True)}


def small_picture(path: str | Path, size: tuple[int, int], **options: int) -> dict[str, Any]:
    """Fit an image into a size; return its width, height, and WebP in base 64."""
    picture = load(path)
    picture.thumbnail(size)
    buffer = BytesIO()
    picture.save(buffer, "WEBP", **options)
    data = base64.b64encode(buffer.getvalue()).decode()
    return {"webp": data, "width": picture.width, "height": picture.height}
