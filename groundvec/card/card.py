"""The model card of a trained model: its description, its scores and its limits.

The card is a README.md in the format of model hubs: YAML front matter, with the scores as a
model-index, and Markdown (Mitchell et al. 2019, "Model cards for model reporting").
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from groundvec.card.templates import fill, listed
from groundvec.card.text import markdown, markdown_cell, number, with_interval
from groundvec.config.parts import chosen, options_schema, vector_size
from groundvec.config.types import Metadata
from groundvec.data.cleaning import LONGEST
from groundvec.evaluation.files import SEEN_NOTE, headline, read_overlap, read_retrieval
from groundvec.model.folder import ModelFolder
from groundvec.results.schemas import CUTOFFS
from groundvec.runtime.errors import InputError

LANGUAGES = {"en": "English", "de": "German"}
EXAMPLES = {"en": "A dog runs on the beach.", "de": "Ein Hund läuft am Strand entlang."}
DIRECTION_WORDS = {
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
WORST = 3  # the number of subtasks with the lowest correlations that are named

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
    remarks: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Fill in the model card of a trained model: the text of its README.md.

    Its scores are computed from the epochs in ensemble.json, which may be a single one.

    Args:
        folder: the trained model.
        data: its data set: the `card` in the YAML file of its source.
        references: the papers to cite, in the form of CITATION.cff.
        retrieval: the scores of this model that scripts/retrieval.py wrote.
        scores: the scores that scripts/overlap.py wrote, if the model was rated.
        load: the name for `SentenceEncoder`, by default the folder.
        untrained: scores with the untrained network, if `scores` has none, because the model is
            packed and has only the snapshots of its ensemble.
        remarks: sentences about the ratings of a task, by its name.
        notes: sentences about the scores of retrieval.

    Raises:
        InputError: a file is missing, not whole, of another model, or has no scores of these
            epochs.
    """
    model_folder = ModelFolder(folder)
    model = model_folder.metadata
    epochs = "+".join(map(str, model_folder.ensemble["epochs"]))
    recalls = _retrieval(model, epochs, retrieval)
    searches = recalls[recalls["direction"].eq("caption_to_image") & recalls["r10"].notna()]
    correlations = None
    rated: list[Any] = []
    weaknesses = {}
    if scores:
        correlations = _ratings(model, epochs, scores, untrained or scores)
        rated = _table_of_ratings(correlations).to_dict("records")
        weaknesses = _weaknesses(headline(correlations))
    tasks = {row["task"] for row in rated}
    name = load or f"{model['model']} ({data['name']})"
    values: dict[str, object] = {
        "front": _front_matter(name, model, data, recalls, correlations),
        "name": name,
        "load": load or str(folder),
        "data": data,
        "more": _more_captions(model),
        "model": model,
        "epochs": epochs.replace("+", " and "),
        "directions": DIRECTION_WORDS,
        "retrieval": recalls.to_dict("records"),
        "notes": [*notes, *conventions(recalls)],
        "cutoffs": CUTOFFS,
        "rated": rated,
        "seen_note": SEEN_NOTE,
        "remarks": [text for task, text in (remarks or {}).items() if task in tasks],
        "longest": LONGEST,
        "searches": searches.drop_duplicates("language").to_dict("records"),
        "references": list(references),
    }
    values |= _of_description(model_folder) | weaknesses
    return fill(Path(__file__).with_suffix(".md"), values, FILTERS)


def conventions(table: pd.DataFrame) -> list[str]:
    """Return the notes that explain the numbers of retrieval on some test sets."""
    folds = table["test_set"].str.endswith("-folds").any()
    return [*CONVENTIONS, FOLDS] if folds else CONVENTIONS


def _more_captions(model: Metadata) -> dict[str, object]:
    """Describe the captions without pictures that a training had; empty if it had none."""
    more = model.get("more_captions")
    if not more:
        return {}
    return more | {"data": options_schema("sources", more["source"])["card"]}


def _of_description(folder: ModelFolder) -> dict[str, object]:
    """Return the template's values that come from the description of the model's parts."""
    description = folder.description
    languages = description["languages"]
    vectors = description["text"].get("vectors", "captions")
    backbones = [block.backbone for block in folder.blocks]
    known = []
    for language, text in folder.metadata["texts"].items():
        for symbols in ("characters", "words"):
            if symbols in text:
                known.append((LANGUAGES.get(language, language), symbols, len(text[symbols])))
    schemas = [options_schema(kind, part["name"]) for kind, part in chosen(description).items()]
    # One encoder for all languages reads a sentence of each in one call; otherwise `encode` reads
    # the first language, and the others by their name.
    example_languages = languages if description.get("shared") else languages[:1]
    return {
        "description": description,
        "languages": listed([LANGUAGES.get(code, code) for code in languages]),
        "size": vector_size(description),
        "similarity": SIMILARITIES[description["similarity"]],
        "examples": [EXAMPLES.get(code, "...") for code in example_languages],
        "vectors": "" if vectors == "captions" else Path(vectors).name,
        "backbones": [] if backbones == ["precomputed"] else backbones,
        "known": known,
        "limits": [schema["limits"] for schema in schemas if "limits" in schema],
    }


def _retrieval(model: Metadata, epochs: str, path: str | Path) -> pd.DataFrame:
    """Read the test scores of these epochs, with R@10 by chance and recalls as texts."""
    scores = _of_model(read_retrieval([path], everything=True), model, path)
    test = scores[scores["split"] == "test"]
    recalls = _of_epochs(test, epochs, KEYS, path)
    chance = test.loc[test["kind"] == "chance", [*KEYS, "r10"]]
    recalls = recalls.merge(chance, "left", KEYS, suffixes=("", "_chance"))
    texts = {f"R@{k}": with_interval(recalls[f"r{k}"], recalls[f"r{k}_ci"]) for k in CUTOFFS}
    return recalls.assign(**texts)


def _ratings(
    model: Metadata, epochs: str, path: str | Path, untrained_path: str | Path
) -> pd.DataFrame:
    """Read the correlations of these epochs, and of the untrained network."""
    scores = _of_model(read_overlap([path]), model, path)
    untrained = _of_model(read_overlap([untrained_path]), model, untrained_path)
    untrained = untrained[(untrained["kind"] == "snapshot") & (untrained["epochs"] == "0")]
    correlations = _of_epochs(scores, epochs, PAIRS, path)
    return correlations.merge(
        untrained[[*PAIRS, "pearson"]], "left", PAIRS, suffixes=("", "_untrained")
    )


def _of_model(table: pd.DataFrame, model: Metadata, path: str | Path) -> pd.DataFrame:
    """Return the table; InputError if it is of another model."""
    labels = {key: model[key] for key in ("dataset", "model", "seed")}
    if not (table[list(labels)] == pd.Series(labels)).all(axis=None):
        name = "/".join(map(str, labels.values()))
        raise InputError(f"{path} is not about the model {name}: give the file of this model")
    return table


def _of_epochs(table: pd.DataFrame, epochs: str, keys: list[str], path: str | Path) -> pd.DataFrame:
    """Select the rows of these epochs: of an ensemble, or else of a snapshot."""
    rows = table[(table["epochs"] == epochs) & table["kind"].isin(["ensemble", "snapshot"])]
    if rows.empty:
        raise InputError(
            f"{path} has no scores of epochs {epochs}, which ensemble.json names: make it again"
        )
    # Sorted by kind, an ensemble is before the snapshot that it has alone.
    return rows.sort_values("kind", kind="stable").drop_duplicates(keys)


def _front_matter(
    name: str,
    model: Metadata,
    data: Mapping[str, str | None],
    recalls: pd.DataFrame,
    correlations: pd.DataFrame | None,
) -> dict[str, object]:
    """Make the front matter: the hub's search finds a model by it, and lists its scores."""
    licence = {"license": data["licence"]}
    if data["licence"] == "other":  # hubs want a name and an address too
        licence["license_name"] = "terms-of-the-data"
        licence["license_link"] = data["address"]
    results = []
    for row in recalls.to_dict("records"):
        task = "information-retrieval", f"Find {DIRECTION_WORDS[row['direction']]}"
        test_set = f"{data['name']}, {row['test_set']} images, {row['language']}"
        metrics = {f"recall_at_{k}": row[f"r{k}"] / 100 for k in CUTOFFS}
        results.append(_result(task, (model["dataset"], test_set), metrics))
    if correlations is not None:
        for row in _of_subtasks(correlations).to_dict("records"):
            task = "sentence-similarity", "Agree with ratings of similarity"
            dataset = row["task"], f"{row['task']} {row['subtask']}"
            # pearson_cosine is a name of sentence-transformers; pearson_classifier is ours.
            metrics = {
                f"pearson_{row['method']}": row["pearson"],
                f"spearman_{row['method']}": row["spearman"],
            }
            results.append(_result(task, dataset, metrics))
    return {
        "language": model["description"]["languages"],
        **licence,
        "library_name": "groundvec",
        "pipeline_tag": "sentence-similarity",
        "tags": ["sentence-embeddings", "feature-extraction", "image-text-retrieval", "grounded"],
        "datasets": [model["dataset"]],
        "model-index": [{"name": name, "results": results}],
    }


def _result(
    task: tuple[str, str], dataset: tuple[str, str], metrics: dict[str, float]
) -> dict[str, object]:
    """Make an entry of the model-index; task and data set have a type and a name each."""
    return {
        "task": {"type": task[0], "name": task[1]},
        "dataset": {"type": dataset[0], "name": dataset[1], "split": "test"},
        "metrics": [{"type": name, "value": round(value, 4)} for name, value in metrics.items()],
    }


def _of_subtasks(correlations: pd.DataFrame) -> pd.DataFrame:
    """Select the correlations of single subtasks."""
    return correlations[correlations["statistic"] == "correlation"]


def _table_of_ratings(correlations: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of the card's table: all subtasks, then their weighted mean."""
    is_mean = correlations["statistic"].eq("weighted mean") & correlations["task"].eq("all")
    mean = correlations[is_mean].assign(subtask="weighted mean")
    return pd.concat([_of_subtasks(correlations), mean])


def _weaknesses(correlations: pd.DataFrame) -> dict[str, object]:
    """Name the subtasks that the card's section about limits mentions."""
    subtask = correlations["task"] + " " + correlations["subtask"]
    ascending = correlations.assign(name=subtask).sort_values("pearson", kind="stable")
    texts = [f"{row['name']} (r = {row['pearson']:.2f})" for row in ascending.to_dict("records")]
    untrained_is_as_good = correlations["pearson_untrained"] >= correlations["pearson"]
    return {
        "least": texts[: min(WORST, len(texts) - 1)],
        "most": texts[-1],
        "unsure": subtask[correlations["pearson_low"] <= 0].tolist(),
        "subtasks": subtask.nunique(),
        "untrained_is_as_good": subtask[untrained_is_as_good].nunique(),
        "seen": correlations["seen"].any(),
    }
