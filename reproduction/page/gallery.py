"""Retrievals by the best models of a data set from its test set."""

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.config import parts
from groundvec.evaluation.ranks import rounding
from groundvec.features.images import load
from groundvec.similarity import scores as nearness
from reproduction.render.pictures import paths_of
from reproduction.render.samples import retrieved
from reproduction.reporting.embedded import Embedded, embed, given_treebank, of_one
from reproduction.reporting.measures import recall
from reproduction.reporting.results import Results
from reproduction.reporting.systems import described

MODELS = 3
QUERIES = 24
SEED = 1
THUMBNAILS = 1000  # all of Flickr8k's test set; of a larger one, those that are shown and the first
# of a thumbnail, in pixels, and as WebP counts it
SIDE = 144
QUALITY = 55


def gallery(results: Results) -> dict[str, Any]:
    """Retrieve with the best models of a data set, for random images of its test set.

    Args:
        results: models, retrieval, captions, images and features of one data set, and treebanks.

    Returns:
        dataset; own (`early` of its source); drawn, whether its source draws the images; models,
        each with its `queries`, the best first; images and captions, their numbers; thumbnails: by
        image WebP in base 64, and a caption.
    """
    treebank = given_treebank(results)
    models: list[dict[str, Any]] = []
    captions: dict[str, str] = {}
    counts: dict[str, int] = {}
    for _, row in best(of_one(results.retrieval)).iterrows():
        about = described(results.models, row["dataset"], row["model"], row["seed"])
        embedded = embed(results, about, ensemble=True, treebank=treebank)
        counts = counts or {"images": len(embedded.image_ids), "captions": len(embedded.captions)}
        of_model = {str(name): value for name, value in row.items()}
        models.append(of_model | {"language": about["languages"][0], **queries(embedded)})
        for place, text in _first_captions(embedded).items():
            captions.setdefault(str(embedded.image_ids[place]), text)
    path_of = paths_of(results, captions)
    wanted = list(dict.fromkeys([*shown(models), *captions]))
    wanted = wanted[: max(THUMBNAILS, len(shown(models)))]
    thumbnails = {}
    for image in sorted(wanted):
        picture = small_picture(path_of[image], (SIDE, SIDE), quality=QUALITY, method=6)
        thumbnails[image] = {"webp": picture["webp"], "caption": captions[image]}
    source = parts.options_schema("sources", results.models["data_source"].iloc[0])
    data = {"dataset": models[0]["dataset"], "own": source.get("early", False), **counts}
    data["drawn"] = "pictures" in source.get("outputs", {})
    return data | {"models": models, "thumbnails": thumbnails}


def best(retrieval: pd.DataFrame) -> pd.DataFrame:
    """Take the ensembles of models with the best R@10 on the development set, the mean over seeds.

    Each model is shown by the ensemble of its first seed.
    """
    dev = recall(retrieval, "dev")
    dev = dev[dev["kind"] == "ensemble"].sort_values("seed", kind="stable")
    dev["mean"] = dev.groupby("model")["r10"].transform("mean")
    first = dev.drop_duplicates("model").sort_values("mean", ascending=False, kind="stable")
    chosen: pd.DataFrame = first[["dataset", "model", "seed", "epochs"]].head(MODELS)
    return chosen.reset_index(drop=True)


def queries(embedded: Embedded) -> dict[str, list[Any]]:
    """Retrieve for random images and for the first caption of each.

    Returns:
        to_images (a caption's images), to_captions (an image's captions) and to_sentences (a
        caption's nearest others): for each query its image and caption, and what was found, each
        with rank, right, score, and the image or the caption.
    """
    of_captions = embedded.caption_vectors
    of_images = embedded.image_vectors
    images = [{"image": str(image)} for image in embedded.image_ids]
    captions = [{"caption": text} for text in embedded.captions]
    same = rounding(of_captions, of_images, embedded.similarity)
    first = _first_captions(embedded)

    def found(
        query: np.ndarray, candidates: np.ndarray, own: np.ndarray, shown: list[dict[str, str]]
    ) -> list[dict[str, Any]]:
        scores = nearness(candidates, query[None], embedded.similarity)[:, 0]
        return [
            {"rank": rank, "right": right, "score": round(float(scores[row]), 3), **shown[row]}
            for rank, row, right in retrieved(scores, own, same)
        ]

    tasks: dict[str, list[Any]] = {"to_images": [], "to_captions": [], "to_sentences": []}
    for row in np.random.default_rng(SEED).permutation(list(first))[:QUERIES]:
        query = {**images[row], "caption": first[row]}
        own = embedded.image == row
        caption = int(own.argmax())
        near = found(of_captions[caption], of_images, np.arange(len(images)) == row, images)
        tasks["to_images"].append({**query, "found": near})
        near = found(of_images[row], of_captions, own, captions)
        tasks["to_captions"].append({**query, "found": near})
        others = np.delete(np.arange(len(captions)), caption)
        if own[others].any():
            texts = [captions[k] for k in others]
            near = found(of_captions[caption], of_captions[others], own[others], texts)
            tasks["to_sentences"].append({**query, "found": near})
    return tasks


def _first_captions(embedded: Embedded) -> dict[int, str]:
    """Return the first caption of each image that has one, by the image's row."""
    rows, first = np.unique(embedded.image, return_index=True)
    return {int(row): embedded.captions[k] for row, k in zip(rows, first, strict=True)}


def shown(models: list[dict[str, Any]]) -> list[str]:
    """List the images that queries are of, or find."""
    return list(
        dict.fromkeys(
            image
            for model in models
            for query in model["to_images"]
            for image in (query["image"], *(item["image"] for item in query["found"]))
        )
    )


def small_picture(path: str | Path, size: tuple[int, int], **options: int) -> dict[str, Any]:
    """Fit a picture into a size: its width and height, and WebP in base 64."""
    picture = load(path)
    picture.thumbnail(size)
    buffer = BytesIO()
    picture.save(buffer, "WEBP", **options)
    data = base64.b64encode(buffer.getvalue()).decode()
    return {"webp": data, "width": picture.width, "height": picture.height}
