"""Build the page from existing result files, without computing any of them again."""

from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from groundvec.card.templates import fill, listed
from groundvec.card.text import number
from groundvec.config import parts
from groundvec.config.types import Schema
from groundvec.model.folder import checked
from groundvec.provenance import provenance
from groundvec.runtime.files import read_json
from reproduction.page import items
from reproduction.papers import known, references
from reproduction.reporting.bibtex import bibtex
from reproduction.reporting.measures import whole
from reproduction.reporting.results import Results
from reproduction.reporting.systems import NAMES, PROVENANCE, rows_of
from reproduction.scenes.ratings import SOURCES

GALLERY: Schema = parts.load_yaml(Path(__file__).with_name("gallery.yaml"))


def page(results: Results) -> str:
    """Build the page of an experiment as HTML that needs no other file.

    It links the files of tables and figures. Papers have the order of their tables and figures.

    Args:
        results: experiment (its name), output (the path of the page), tables (CSV files, each with
            an HTML file of the same name), figures (SVG files, each with a PNG file of the same
            name), retrieval, galleries (JSON files of `gallery`, one per data set), and optionally
            try_it, the HTML of a panel that runs the encoder. The folder of a table or
            figure ends in PAPER/tables or PAPER/figures.
    """
    folder = results["output"].parent
    tables = [items.table(path, folder) for path in results["tables"]]
    figures = [items.figure(path, folder) for path in results["figures"]]
    galleries = [_gallery(path) for path in results["galleries"]]
    try_it = results.given.get("try_it")
    thumbnails = _number_thumbnails(galleries)
    trained = results.retrieval[["dataset", "model"]].drop_duplicates()
    # The papers' claims compare models, so a single model cannot support or contradict them.
    compares = len(trained) > 1
    if not compares:
        tables = [table for table in tables if not table["verdicts"]]
    own_data = all(gallery["own"] for gallery in galleries)
    papers = _papers(tables, figures)
    compared_papers = []
    if compares and not own_data:
        compared_papers = [paper for paper in papers if not paper["description"].follows]
    values = dict(
        experiment=results["experiment"],
        title=title(trained),
        papers=papers,
        own_data=own_data,
        compared_papers=compared_papers,
        best=_best(results, galleries, tables),
        galleries=galleries,
        thumbnails=thumbnails,
        numbers={
            gallery["dataset"]: {
                name: thumbnail["number"] for name, thumbnail in gallery["thumbnails"].items()
            }
            for gallery in galleries
        },
        computed_ratings=_of_drawn_scenes(tables),
        bibtex="\n".join(map(bibtex, references([paper["key"] for paper in papers]))),
        provenance=_provenance(tables),
        page_provenance=provenance(),
        try_it=Markup(items.read_text(try_it)) if try_it else "",
    )
    template = Path(__file__).with_suffix(".html")
    return fill(template, values, {"number": number, "named": named}, autoescape=True)


def named(dataset: str) -> str:
    """Return the name of a data set in texts."""
    return NAMES.get(dataset, dataset)


def title(trained: pd.DataFrame) -> str:
    """Name the models and the data: `2 models on Flickr8k and scenes`, or `gru-8 on Flickr8k`."""
    datasets = map(named, trained["dataset"].unique())
    models = trained["model"].iloc[0] if len(trained) == 1 else f"{len(trained)} models"
    return f"{models} on {listed(list(datasets))}"


def _papers(tables: list[dict[str, Any]], figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group tables and figures by paper, with the counts of the claims that hold."""
    papers = []
    # Numbered tables first, in the order of their names.
    numbered = sorted(tables, key=lambda table: (table["name"][:5] != "table", table["name"]))
    for key in dict.fromkeys(item["paper"] for item in [*tables, *figures]):
        own_tables = [table for table in numbered if table["paper"] == key]
        papers.append(
            {
                "key": key,
                "description": known()[key],
                "verdicts": next((table["counts"] for table in own_tables if table["counts"]), {}),
                "tables": own_tables,
                "figures": [item for item in figures if item["paper"] == key],
            }
        )
    return papers


def _gallery(path: Path) -> dict[str, Any]:
    """Read a gallery, with the names of its models by their CSS classes."""
    content = checked(path, read_json(path), GALLERY, "gallery")
    names = {f"m{number}": model["model"] for number, model in enumerate(content["models"])}
    return content | {"choices": names}


def _number_thumbnails(galleries: list[dict[str, Any]]) -> list[str]:
    """List every thumbnail once, and replace it by its number in the galleries."""
    numbers: dict[str, int] = {}
    for gallery in galleries:
        for thumbnail in gallery["thumbnails"].values():
            webp = thumbnail.pop("webp")
            thumbnail["number"] = numbers.setdefault(webp, len(numbers))
    return list(numbers)


def _best(
    results: Results, galleries: list[dict[str, Any]], tables: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the test scores of each data set's best model and of random rankings."""
    test = whole(results.retrieval)
    semantic_scores: dict[Any, float] = {}
    key = ["dataset", "model", "seed"]
    for table in tables:
        if {*key, "kind", "measure", "pearson"} <= {*table["content"]}:
            rows = table["content"].query("kind == 'ensemble' and measure == 'semantic score'")
            semantic_scores |= rows.set_index(key)["pearson"].to_dict()
    best = []
    for gallery in galleries:
        model = gallery["models"][0]
        training = (gallery["dataset"], model["model"], model["seed"])
        rows = rows_of(test, *training)
        rows = rows[rows["language"] == model["language"]].set_index("direction")
        best.append(
            model
            | {
                "dataset": gallery["dataset"],
                "images": gallery["images"],
                "captions": gallery["captions"],
                "semantic": semantic_scores.get(training),
                "scores": rows.query("kind == 'ensemble'").to_dict("index"),
                "chance": rows.query("kind == 'chance'").to_dict("index"),
                # Half an interval, 196 sqrt(p(1-p)/n), is largest for p = 0.5.
                "widest": 98 / gallery["images"] ** 0.5,
            }
        )
    return best


def _of_drawn_scenes(tables: list[dict[str, Any]]) -> bool:
    """Return whether the ratings belong to drawn scenes: computed ratings, not people's."""
    drawn = {task for task, _ in SOURCES}
    return any(not drawn.isdisjoint(table["content"].get("task", [])) for table in tables)


def _provenance(tables: list[dict[str, Any]]) -> list[dict[Any, Any]]:
    """List the runs that computed the tables' rows."""
    names = [name for name in PROVENANCE if name != "configuration"]
    rows = pd.concat([table["content"].reindex(columns=names) for table in tables])
    runs = rows.dropna(how="all").astype(object).fillna("").drop_duplicates()
    return runs.to_dict("records")
