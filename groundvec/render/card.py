"""The model card: what a trained model is, how good it is and what it is bad at, for its folder.

A README.md in the form that model hubs read: YAML front matter, with the scores as a model-index,
and Markdown (Mitchell et al. 2019, Model cards for model reporting).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from groundvec.config.parts import chosen, options_schema, vector_size
from groundvec.cutoffs import CUTOFFS
from groundvec.data.cleaning import LONGEST
from groundvec.model.folder import read_description, read_ensemble
from groundvec.render.retrieval_table import CONVENTIONS, FOLDS, with_interval
from groundvec.render.tables import MISSING, decimals, markdown
from groundvec.reporting.measures import SEEN_NOTE, headline
from groundvec.reporting.results import read_overlap, read_retrieval
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
PAIRS = ["task", "subtask", "method"]
RECALLS = [f"r{k}" for k in CUTOFFS]
SPELT = (
    "The last {:,} of them are character n-gram TF-IDF features. They were not trained, and "
    "help with sentences about what no picture shows. Retrieval ignores them. "
)
WORST = 3  # so many subtasks are named


def card(
    folder: str | Path,
    data: Mapping[str, str | None],
    references: Iterable[Mapping[str, Any]],
    retrieval: str | Path,
    scores: str | Path | None = None,
    load: str | None = None,
) -> str:
    """The model card of a trained model, as the text of its README.md.

    Its scores are those of the epochs that ensemble.json names, be they several or a single one.

    Args:
        folder: the model's.
        data: of its data set: the `card` of the source (`groundvec.sources`).
        references: of papers to cite, in the form of CITATION.cff.
        retrieval: what scripts/retrieval.py wrote of this model.
        scores: what scripts/overlap.py wrote of it, if it was rated.
        load: what `SentenceEncoder.load` is given; else the folder.

    Raises:
        InputError: a file that is missing, is not whole, is about another model, or has no scores
            of these epochs.
    """
    folder = Path(folder)
    about = read_description(folder)
    epochs = "+".join(map(str, read_ensemble(folder)["epochs"]))
    every = _own(read_retrieval([retrieval], everything=True), about, retrieval)
    found = _of_epochs(every[every["split"] == "test"], epochs, KEYS, retrieval)
    by_chance = every[(every["split"] == "test") & (every["kind"] == "chance")]
    found = found.merge(by_chance[[*KEYS, "r10"]], "left", KEYS, suffixes=("", "_chance"))
    rated = None
    if scores:
        every = _own(read_overlap([scores]), about, scores)
        rated = _of_epochs(every, epochs, [*PAIRS, "statistic"], scores)
        untrained = every[(every["kind"] == "snapshot") & (every["epochs"] == "0")]
        untrained = untrained[[*PAIRS, "statistic", "pearson"]]
        rated = rated.merge(untrained, "left", [*PAIRS, "statistic"], suffixes=("", "_untrained"))
    name = f"{about['model']} ({data['name']})"
    front = yaml.safe_dump(
        _front_matter(name, about, data, found, rated), sort_keys=False, allow_unicode=True
    )
    parts = [
        f"---\n{front}---",
        f"# {markdown(name)}",
        _summary(about),
        "## Use",
        _use(load or str(folder), about),
        "## Data",
        _data(about, data),
        "## Recipe",
        _recipe(about, epochs),
        "## Scores",
        _retrieval(found),
        *([_ratings(rated)] if rated is not None else []),
        "## Limits",
        _limits(about, data, found, rated),
        "## Licence of the data",
        _licence(about, data),
        "## Citation",
        "\n".join(
            f"- {text}" for text in [*map(_reference, references), data["reference"]] if text
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _own(table: pd.DataFrame, about: dict[str, Any], path: str | Path) -> pd.DataFrame:
    """The table, if it is about this model."""
    own = {key: about[key] for key in ("dataset", "model", "seed")}
    if not (table[list(own)] == pd.Series(own)).all(axis=None):
        whose = "/".join(map(str, own.values()))
        raise InputError(f"{path} is not about the model {whose}: give the file of this model")
    return table


def _of_epochs(table: pd.DataFrame, epochs: str, keys: list[str], path: str | Path) -> pd.DataFrame:
    """The rows of these epochs: an ensemble's, or else a snapshot's."""
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
        what = f"{data['name']}, {row['test_set']} images, {row['language']}"
        metrics = [
            {"type": f"recall_at_{k}", "value": round(row[f"r{k}"] / 100, 4)} for k in CUTOFFS
        ]
        task = {"type": "information-retrieval", "name": f"Find {DIRECTIONS[row['direction']]}"}
        dataset = {"type": about["dataset"], "name": what, "split": "test"}
        results.append({"task": task, "dataset": dataset, "metrics": metrics})
    for row in [] if rated is None else _correlations(rated).to_dict("records"):
        # As sentence-transformers calls them; a classifier's are nobody else's.
        end = "_cosine" if row["method"] == "cosine" else f"_{row['method']}"
        metrics = [
            {"type": f"{r}{end}", "value": round(row[r], 4)} for r in ("pearson", "spearman")
        ]
        task = {"type": "sentence-similarity", "name": "Agree with ratings of similarity"}
        dataset = {"type": row["task"], "name": f"{row['task']} {row['subtask']}", "split": "test"}
        results.append({"task": task, "dataset": dataset, "metrics": metrics})
    return {
        "language": about["description"]["languages"],
        **own,
        "library_name": "groundvec",
        "pipeline_tag": "sentence-similarity",
        "tags": ["sentence-embeddings", "feature-extraction", "image-text-retrieval", "grounded"],
        "datasets": [about["dataset"]],
        "model-index": [{"name": name, "results": results}],
    }


def _summary(about: dict[str, Any]) -> str:
    description = about["description"]
    counts = description.get("spelling", {}).get("size") or description["encoder"].get("counts")
    return (
        f"A sentence encoder that was trained to bring sentences near the pictures that they "
        f"describe. It reads {_languages(description)} and returns vectors of "
        f"{vector_size(description):,} numbers, which are compared by their "
        f"{SIMILARITIES[description['similarity']]}. "
        + (SPELT.format(counts) if counts else "")
        + "Made with groundvec, a pipeline for visually grounded sentence embeddings."
    )


def _languages(description: dict[str, Any]) -> str:
    return " and ".join(LANGUAGES.get(code, code) for code in description["languages"])


def _use(load: str, about: dict[str, Any]) -> str:
    language = about["description"]["languages"][0]
    sentence = EXAMPLES.get(language, "...")
    return (
        "```python\nfrom groundvec import SentenceEncoder\n\n"
        f"encoder = SentenceEncoder.load({json.dumps(load)})\n"
        f"vectors = encoder.encode([{json.dumps(sentence, ensure_ascii=False)}])  # float32, (1, "
        f"{vector_size(about['description'])})\n```\n\n"
        "The folder holds JSON and safetensors only: nothing in it is executed when it is loaded."
    )


def _data(about: dict[str, Any], data: Mapping[str, str | None]) -> str:
    name = f"[{data['name']}]({data['address']})" if data["address"] else data["name"]
    text = f"{name}: {data['of']}."
    if "draw" in about:
        train, dev, test = about["draw"]
        text += f" Of it, {train:,} images for training, {dev:,} for development, {test:,} to test."
    return text


def _recipe(about: dict[str, Any], epochs: str) -> str:
    features, made = about.get("features", {}), about.get("provenance", {})
    weights = f" ({features['weights']})" if features.get("weights") else ""
    training = about["description"].get("training", {})
    rows = {
        "seed": about["seed"],
        "epochs": training.get("epochs", MISSING),
        "the weights are those after epoch": epochs.replace("+", " and "),
        "image features": f"{features.get('backbone', 'unknown')}{weights}",
        "hardware": made.get("machine", "unknown"),
        "versions": made.get("versions", "unknown"),
        "commit": made.get("commit", "unknown"),
        "key of the training": about.get("key", "unknown"),
    }
    described = yaml.safe_dump(about["description"], sort_keys=False, allow_unicode=True)
    table = _table([["", ""], *([name, markdown(str(value))] for name, value in rows.items())])
    return (
        f"{table}\n\nIts parts, as the pipeline's configuration has them:\n\n"
        f"```yaml\n{described}```"
    )


def _retrieval(found: pd.DataFrame) -> str:
    heading = ["language", "test set", "find", "queries", *(f"R@{k}" for k in CUTOFFS)]
    columns = [
        found["language"],
        found["test_set"],
        found["direction"].map(DIRECTIONS),
        found["queries"].map("{:,.0f}".format),
        *(with_interval(found[name], found[f"{name}_ci"]) for name in RECALLS),
        decimals(found["median_rank"]),
        decimals(found["r10_chance"]),
    ]
    rows = zip(*columns, strict=True)
    table = _table([[*heading, "med r", "R@10 by chance"], *rows])
    notes = [*CONVENTIONS, *([FOLDS] if found["test_set"].str.endswith("-folds").any() else [])]
    return f"### Retrieval on the test set\n\n{table}\n\n{_bullets(notes)}"


def _correlations(rated: pd.DataFrame) -> pd.DataFrame:
    return rated[rated["statistic"] == "correlation"]


def _ratings(rated: pd.DataFrame) -> str:
    mean = rated["statistic"].eq("weighted mean") & rated["task"].eq("all")
    shown = pd.concat([_correlations(rated), rated[mean].assign(subtask="weighted mean")])
    heading = ["task", "subtask", "by", "pairs", "Pearson", "95% interval", "Spearman"]
    columns = [
        shown["task"],
        shown["subtask"],
        shown["method"],
        shown["pairs"].map("{:,.0f}".format),
        decimals(shown["pearson"], 3),
        _intervals(shown),
        decimals(shown["spearman"], 3),
        decimals(shown["pearson_untrained"], 3),
        shown["seen"].map("{:,.0f}".format),
        decimals(shown["unseen_pearson"], 3),
    ]
    rows = zip(*columns, strict=True)
    heading += ["Pearson, untrained", "seen pairs", "Pearson without them"]
    table = _table([heading, *rows])
    notes = [
        "The correlation with ratings of how similar two sentences are, which people gave (those "
        "of Scenes were computed from what is drawn). By cosine: of the vectors, without any "
        "training on ratings. By classifier: SentEval's softmax layer on |u - v| and u * v of two "
        "vectors, trained on the task's training pairs.",
        "The mean is that of the tasks by cosine that have no training pairs, weighted by pairs. "
        "Untrained: the same network with its first, random weights, and with its character n-gram "
        "features if it has any.",
        SEEN_NOTE,
    ]
    return f"### Agreement with ratings of similarity\n\n{table}\n\n{_bullets(notes)}"


def _intervals(rated: pd.DataFrame) -> list[str]:
    ends = zip(decimals(rated["pearson_low"], 2), decimals(rated["pearson_high"], 2), strict=True)
    return [f"{low} to {high}" for low, high in ends]


def _limits(
    about: dict[str, Any],
    data: Mapping[str, str | None],
    found: pd.DataFrame,
    rated: pd.DataFrame | None,
) -> str:
    description = about["description"]
    limits = [
        f"It reads {_languages(description)} only, and at most {LONGEST:,} characters of a "
        "sentence; what is beyond is cut off. It is made for sentences and not for paragraphs.",
        f"Domain: {data['domain']}",
        f"Biases: {data['biases']}",
    ]
    for language, text in about["texts"].items():
        for symbols in ("characters", "words"):
            if symbols in text:
                name = LANGUAGES.get(language, language)
                limits.append(
                    f"It knows {len(text[symbols]):,} {symbols} of {name}, those of "
                    f"{_known(about)}; all others look the same to it."
                )
    schemas = (options_schema(kind, part["name"]) for kind, part in chosen(description).items())
    limits += [schema["limits"] for schema in schemas if "limits" in schema]
    if "parser" in description["text"]:
        limits.append(
            f"It reads trees: sentences are parsed by {description['text']['parser']} first, and "
            "the parser's mistakes are its own."
        )
    searches = found[(found["direction"] == "caption_to_image") & found["r10"].notna()]
    for row in searches.drop_duplicates("language").to_dict("records"):
        limits.append(
            f"Searching the {row['test_set']} test images with a caption ({row['language']}), "
            f"{100 - row['r10']:.0f} of 100 searches do not have the right image among the first "
            "ten."
        )
    if rated is not None:
        limits += [*_bad_at(headline(rated)), *_trained_on(headline(rated))]
    else:
        limits.append(
            "How well it agrees with people on the similarity of sentences was not measured."
        )
    return _bullets(limits)


def _known(about: dict[str, Any]) -> str:
    """Where the words or characters come from that a model knows."""
    vectors = about["description"]["text"].get("vectors", "captions")
    if vectors != "captions":
        return Path(vectors).name
    return "all training captions of its data set" if "draw" in about else "its training captions"


def _bad_at(rated: pd.DataFrame) -> list[str]:
    """What the correlations of the subtasks say of weaknesses."""
    ordered = rated.assign(interval=_intervals(rated)).sort_values("pearson", kind="stable")
    named = [
        f"{row['task']} {row['subtask']} (r = {row['pearson']:.2f}, 95% interval {row['interval']})"
        for row in ordered.to_dict("records")
    ]
    limits = []
    if len(named) > 1:
        count = min(WORST, len(named) - 1)
        least, most = _listed(named[:count]), named[-1]
        limits.append(f"It agrees with the ratings least on {least}, and most on {most}.")
    unsure = rated[rated["pearson_low"] <= 0]
    if len(unsure):
        where = _listed([f"{task} {sub}" for task, sub in unsure[["task", "subtask"]].to_numpy()])
        limits.append(
            f"On {where} it may not agree with the ratings at all: the interval includes 0."
        )
    vain = rated[rated["pearson_untrained"] >= rated["pearson"]]
    if len(vain):
        where = _listed([f"{task} {sub}" for task, sub in vain[["task", "subtask"]].to_numpy()])
        limits.append(
            f"On {where} the same network before any training agrees as well: what it learned from "
            "pictures is no help there."
        )
    return limits


def _trained_on(rated: pd.DataFrame) -> list[str]:
    """Which of the rated pairs hold a training caption."""
    named = [
        f"{row['seen']:,.0f} of the {row['pairs']:,.0f} pairs of {row['task']} {row['subtask']}"
        for row in rated[rated["seen"] > 0].to_dict("records")
    ]
    if not named:
        return []
    return [
        f"Its training captions are among the rated sentences, in {_listed(named)}. The table of "
        "ratings has its scores without these pairs."
    ]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _licence(about: dict[str, Any], data: Mapping[str, str | None]) -> str:
    text = f"{data['terms']} The pipeline's code is under Apache-2.0."
    backbone = about.get("features", {}).get("backbone")
    if backbone and backbone != "precomputed":
        networks = backbone.split("+")
        were, their = ("were", "their") if len(networks) > 1 else ("was", "its")
        text += (
            f" The pictures were described by {_listed(networks)}, which {were} trained on "
            f"ImageNet: {their} weights may be bound to ImageNet's terms (research, not "
            "commercial)."
        )
    vectors = about["description"]["text"].get("vectors", "captions")
    if vectors != "captions":
        text += f" Its word vectors are {Path(vectors).name}, which have terms of their own."
    return text


def _reference(work: Mapping[str, Any]) -> str:
    """One line of a work in CITATION.cff's form."""
    authors = [
        f"{author['family-names']}, {author['given-names']}" for author in work.get("authors", [])
    ]
    where = work.get("journal") or work.get("collection-title", "")
    if "volume" in work:
        where += f" {work['volume']}"
    end = f" https://doi.org/{work['doi']}" if "doi" in work else ""
    return f"{'; '.join(authors)} ({work['year']}). {work['title']}. {where}.{end}"


def _table(rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; the first row is its heading."""
    lines = [
        "| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows
    ]
    return "\n".join([lines[0], "|" + " --- |" * lines[0].count(" | ") + " --- |", *lines[1:]])


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)
