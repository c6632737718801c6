"""The model card: a description of a trained model, its scores and its limits, for its folder.

A README.md in the form that model hubs read: YAML front matter, with the scores as a model-index,
and Markdown (Mitchell et al. 2019, Model cards for model reporting).
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from groundvec.card.templates import fill, listed
from groundvec.card.text import MISSING, decimals, markdown, markdown_cell, number, with_interval
from groundvec.config.parts import chosen, options_schema, vector_size
from groundvec.data.cleaning import LONGEST
from groundvec.evaluation.files import SEEN_NOTE, headline, read_overlap, read_retrieval
from groundvec.model.folder import read_description, read_ensemble
from groundvec.results.schemas import CUTOFFS
from groundvec.runtime.errors import InputError

LANGUAGES = {"en": "English", "de": "German"}
EXAMPLES = {"en": "A dog runs on the beach.", "de": "Ein Hund läuft am Strand entlang."}
DIRECTIONS = {
    "caption_to_image": "images by captions",
    "image_to_caption": "captions by images",
    "caption_to_caption": "captions by captions of the same image",
}
SIMILARITIES = {"cosine": "cosine", "dot": "inner product", "euclidean": "(small) distance"}
KEYS = ["language", "test_set", "direction"]
PAIRS = ["task", "subtask", "method", "statistic"]
CONVENTIONS = [
    "R@N: percent of the queries whose right image or caption is among the first N. ± is half the "
    "95% interval, 1.96 sqrt(p(1-p)/n) of n queries, as if an image's captions were independent. "
    "med r: median rank of the right one.",
    "Measured: a candidate with the same score as the right one ranks before it. From image to "
    "caption, the best of the image's captions counts. The median of an even number of ranks is "
    "the mean of the middle two.",
]
FOLDS = (
    "Test sets that end in -folds: the mean over equal folds of so many images (1k-folds: five "
    "folds of 1,000), medians averaged too; n counts the queries of all folds."
)
WORST = 3  # so many subtasks are named


FILTERS = {
    "cell": markdown_cell,
    "json": lambda value: json.dumps(value, ensure_ascii=False),
    "number": number,
    "shown": markdown,
    "yaml": lambda value: yaml.safe_dump(value, sort_keys=False, allow_unicode=True),
}


def card(
    folder: str | Path,
    data: Mapping[str, str | None],
    references: Iterable[Mapping[str, Any]],
    retrieval: str | Path,
    scores: str | Path | None = None,
    load: str | None = None,
    untrained: str | Path | None = None,
) -> str:
    """Fill in the model card of a trained model: the text of its README.md.

    Its scores are those of the epochs that ensemble.json names, be they several or a single one.

    Args:
        folder: the model's.
        data: of its data set: the `card` of the source (`groundvec.sources`).
        references: of papers to cite, in the form of CITATION.cff.
        retrieval: the scores of this model that scripts/retrieval.py wrote.
        scores: those of scripts/overlap.py, if it was rated.
        load: the name for `SentenceEncoder`, by default the folder.
        untrained: the scores of its training, if `scores` has none of the untrained network, as of
            a packed model.

    Raises:
        InputError: a file that is missing, is not whole, is about another model, or has no scores
            of these epochs.
    """
    folder = Path(folder)
    about = read_description(folder)
    epochs = "+".join(map(str, read_ensemble(folder)["epochs"]))
    found = _retrieval(about, epochs, retrieval)
    rated = _ratings(about, epochs, scores, untrained or scores) if scores else None
    name = load or f"{about['model']} ({data['name']})"
    values = {
        "front": _front_matter(name, about, data, found, rated),
        "name": name,
        "load": load or str(folder),
        "data": data,
        "draw": about.get("draw"),
        "more": _more(about),
        "recipe": _recipe(about, epochs),
        "directions": DIRECTIONS,
        "retrieval": found.to_dict("records"),
        "conventions": conventions(found),
        "cutoffs": CUTOFFS,
        "rated": [] if rated is None else _shown(rated).to_dict("records"),
        "seen_note": SEEN_NOTE,
        "longest": LONGEST,
        "searches": found[found["direction"].eq("caption_to_image") & found["r10"].notna()]
        .drop_duplicates("language")
        .to_dict("records"),
        "references": list(references),
    }
    values |= _of_description(about) | ({} if rated is None else _weaknesses(headline(rated)))
    return fill(Path(__file__).with_suffix(".md"), values, FILTERS)


def conventions(table: pd.DataFrame) -> list[str]:
    """Return the notes that explain the numbers of retrieval on some test sets."""
    folds = table["test_set"].str.endswith("-folds").any()
    return [*CONVENTIONS, FOLDS] if folds else CONVENTIONS


def _more(about: dict[str, Any]) -> dict[str, Any]:
    """Describe the captions without pictures that a training had; empty if it had none."""
    if not (more := about.get("more_captions")):
        return {}
    return more | {"data": options_schema("sources", more["source"])["card"]}


def _of_description(about: dict[str, Any]) -> dict[str, Any]:
    description = about["description"]
    vectors = description["text"].get("vectors", "captions")
    backbone = about.get("features", {}).get("backbone", "precomputed")
    schemas = (options_schema(kind, part["name"]) for kind, part in chosen(description).items())
    shown = (
        None if description.get("shared") else 1
    )  # of the languages; others are asked for by name
    return {
        "description": description,
        "languages": listed([LANGUAGES.get(code, code) for code in description["languages"]]),
        "size": vector_size(description),
        "similarity": SIMILARITIES[description["similarity"]],
        "examples": [EXAMPLES.get(code, "...") for code in description["languages"][:shown]],
        "vectors": "" if vectors == "captions" else Path(vectors).name,
        "backbones": [] if backbone == "precomputed" else backbone.split("+"),
        "known": [
            (LANGUAGES.get(language, language), symbols, len(text[symbols]))
            for language, text in about["texts"].items()
            for symbols in ("characters", "words")
            if symbols in text
        ],
        "limits": [schema["limits"] for schema in schemas if "limits" in schema],
    }


def _retrieval(about: dict[str, Any], epochs: str, path: str | Path) -> pd.DataFrame:
    """Read the test scores of these epochs, with R@10 by chance and recalls as texts."""
    every = _own(read_retrieval([path], everything=True), about, path)
    test = every[every["split"] == "test"]
    found = _of_epochs(test, epochs, KEYS, path)
    chance = test.loc[test["kind"] == "chance", [*KEYS, "r10"]]
    found = found.merge(chance, "left", KEYS, suffixes=("", "_chance"))
    texts = {f"R@{k}": with_interval(found[f"r{k}"], found[f"r{k}_ci"]) for k in CUTOFFS}
    return found.assign(**texts)


def _ratings(
    about: dict[str, Any], epochs: str, path: str | Path, of_untrained: str | Path
) -> pd.DataFrame:
    """Read the correlations of these epochs, with those of the untrained network."""
    every = _own(read_overlap([path]), about, path)
    untrained = _own(read_overlap([of_untrained]), about, of_untrained)
    untrained = untrained[(untrained["kind"] == "snapshot") & (untrained["epochs"] == "0")]
    untrained = untrained[[*PAIRS, "pearson"]]
    rated = _of_epochs(every, epochs, PAIRS, path)
    rated = rated.merge(untrained, "left", PAIRS, suffixes=("", "_untrained"))
    ends = zip(decimals(rated["pearson_low"], 2), decimals(rated["pearson_high"], 2), strict=True)
    return rated.assign(interval=[f"{low} to {high}" for low, high in ends])


def _own(table: pd.DataFrame, about: dict[str, Any], path: str | Path) -> pd.DataFrame:
    """Return the table if it is about this model."""
    own = {key: about[key] for key in ("dataset", "model", "seed")}
    if not (table[list(own)] == pd.Series(own)).all(axis=None):
        whose = "/".join(map(str, own.values()))
        raise InputError(f"{path} is not about the model {whose}: give the file of this model")
    return table


def _of_epochs(table: pd.DataFrame, epochs: str, keys: list[str], path: str | Path) -> pd.DataFrame:
    """Take the rows of these epochs: an ensemble's, or else a snapshot's."""
    rows = table[(table["epochs"] == epochs) & table["kind"].isin(["ensemble", "snapshot"])]
    if rows.empty:
        raise InputError(
            f"{path} has no scores of epochs {epochs}, which ensemble.json names: make it again"
        )
    return rows.sort_values("kind", kind="stable").drop_duplicates(keys)


def _front_matter(
    name: str,
    about: dict[str, Any],
    data: Mapping[str, str | None],
    found: pd.DataFrame,
    rated: pd.DataFrame | None,
) -> dict[str, Any]:
    own = {"license": data["licence"]}
    if data["licence"] == "other":  # hubs want a name and an address too
        own |= {"license_name": "terms-of-the-data", "license_link": data["address"]}
    results = []
    for row in found.to_dict("records"):
        task = "information-retrieval", f"Find {DIRECTIONS[row['direction']]}"
        what = f"{data['name']}, {row['test_set']} images, {row['language']}"
        metrics = {f"recall_at_{k}": row[f"r{k}"] / 100 for k in CUTOFFS}
        results.append(_result(task, (about["dataset"], what), metrics))
    for row in [] if rated is None else _correlations(rated).to_dict("records"):
        task = "sentence-similarity", "Agree with ratings of similarity"
        dataset = row["task"], f"{row['task']} {row['subtask']}"
        # As sentence-transformers calls them; a classifier's are nobody else's.
        metrics = {f"{r}_{row['method']}": row[r] for r in ("pearson", "spearman")}
        results.append(_result(task, dataset, metrics))
    return {
        "language": about["description"]["languages"],
        **own,
        "library_name": "groundvec",
        "pipeline_tag": "sentence-similarity",
        "tags": ["sentence-embeddings", "feature-extraction", "image-text-retrieval", "grounded"],
        "datasets": [about["dataset"]],
        "model-index": [{"name": name, "results": results}],
    }


def _result(
    task: tuple[str, str], dataset: tuple[str, str], metrics: dict[str, float]
) -> dict[str, Any]:
    return {
        "task": {"type": task[0], "name": task[1]},
        "dataset": {"type": dataset[0], "name": dataset[1], "split": "test"},
        "metrics": [{"type": name, "value": round(value, 4)} for name, value in metrics.items()],
    }


def _recipe(about: dict[str, Any], epochs: str) -> dict[str, Any]:
    features = about.get("features", {})
    made = about.get("provenance", {})
    weights = f" ({features['weights']})" if features.get("weights") else ""
    return {
        "seed": about["seed"],
        "epochs": about["description"].get("training", {}).get("epochs", MISSING),
        "the weights are those after epoch": epochs.replace("+", " and "),
        "image features": f"{features.get('backbone', 'unknown')}{weights}",
        "hardware": made.get("machine", "unknown"),
        "versions": made.get("versions", "unknown"),
        "commit": made.get("commit", "unknown"),
        "key of the training": about.get("key", "unknown"),
    }


def _correlations(rated: pd.DataFrame) -> pd.DataFrame:
    return rated[rated["statistic"] == "correlation"]


def _shown(rated: pd.DataFrame) -> pd.DataFrame:
    mean = rated["statistic"].eq("weighted mean") & rated["task"].eq("all")
    return pd.concat([_correlations(rated), rated[mean].assign(subtask="weighted mean")])


def _weaknesses(rated: pd.DataFrame) -> dict[str, Any]:
    """Name the subtasks of which the limits tell."""
    name = rated["task"] + " " + rated["subtask"]
    ordered = rated.assign(name=name).sort_values("pearson", kind="stable")
    texts = [
        f"{row['name']} (r = {row['pearson']:.2f}, 95% interval {row['interval']})"
        for row in ordered.to_dict("records")
    ]
    return {
        "least": texts[: min(WORST, len(texts) - 1)],
        "most": texts[-1],
        "unsure": name[rated["pearson_low"] <= 0].tolist(),
        "vain": name[rated["pearson_untrained"] >= rated["pearson"]].tolist(),
        "seen": [
            f"{row['seen']:,.0f} of the {row['pairs']:,.0f} pairs of {row['task']} {row['subtask']}"
            for row in rated[rated["seen"] > 0].to_dict("records")
        ],
    }
