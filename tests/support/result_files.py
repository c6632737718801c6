"""Small result files of models and baselines, for tests of tables and figures."""

import re
from csv import QUOTE_NONE
from functools import partial
from io import StringIO
from pathlib import Path

import pandas as pd

from groundvec.card.text import MINUS, MISSING
from groundvec.results import schemas
from groundvec.results.frames import schema_of
from groundvec.runtime.files import write_json
from reproduction.reporting import results
from tests.support import ROOT
from tests.support.small_data import run_script

REPORTED = ROOT / "reproduction/papers/merkx_frank_2019/reported"


def filled(table, form):
    """Complete a small table to the columns of a schema, with allowed values."""
    others = {
        name: (column.among or [f"the {name}"])[0] if column.dtype is str else max(column.low, 1)
        for name, column in schema_of(form).columns.items()
        if name not in table
    }
    return table.assign(**others)[list(schema_of(form).columns)]


def read_table(text):
    """Read a table that is written as a text, with `|` between cells; empty ones are missing."""
    lines = "\n".join(line.strip() for line in text.strip().splitlines())
    return pd.read_csv(StringIO(lines), sep=r" *\| *", engine="python", quoting=QUOTE_NONE)


def assert_rows(found, text):
    """Check all rows of a table, in the columns that the text of `read_table` names."""
    expected = read_table(text)
    rows = found[list(expected)].reset_index(drop=True).replace("", float("nan"))
    pd.testing.assert_frame_equal(rows, expected, check_dtype=False)


def make(paper, *arguments):
    """Make a table or figure as scripts/report.py does."""
    run_script("report", paper, *arguments)


run = partial(make, "merkx_frank_2019")


def described(name, **parts):
    """Describe a model of the paper's grid, such as `gru-8-max`, perhaps with other parts."""
    cell, size, pooling = name.split("-")
    return {
        "languages": ["en"],
        "text": {"name": "characters"},
        "encoder": {"name": "rnn", "cell": cell, "size": int(size), "pooling": pooling},
        "similarity": "cosine",
        "objective": {"name": "hinge", "margin": 0.2},
        **parts,
    }


BAG = {"text": {"name": "words"}, "encoder": {"name": "bag", "size": 8, "embedding": 8}}


def write_models(folder, *models, snapshots=(4, 8), **descriptions):
    """Write a model.json for each (dataset, model) or (dataset, model, seed); return the files.

    Each folder has an ensemble.json too; its first snapshot is the best. Pass a description for
    each model whose name does not list its parts; `_` stands for `-`.
    """
    paths = []
    for dataset, model, *seed in models:
        about = {"dataset": dataset, "model": model, "seed": seed[0] if seed else 1}
        about["description"] = descriptions.get(model.replace("-", "_")) or described(model)
        about["snapshots"] = list(snapshots)
        about |= {"saved": list(snapshots), "texts": {"en": {}}, "width": 4, "key": "0"}
        paths.append(Path(folder, dataset, model, f"seed{about['seed']}", "model.json"))
        write_json(paths[-1], about)
        ensemble = {"epochs": list(snapshots), "best": snapshots[0]}
        write_json(paths[-1].with_name("ensemble.json"), ensemble)
    return paths


def models(folder, *names, **more):
    return results.read_models(write_models(folder, *names, **more))


SYSTEM = "flickr8k/gru-8-max/seed1"


def rows(markdown):
    """Return the cells of every table in a Markdown file, by the heading above it."""
    found = {}
    for part in re.split("^### ", markdown, flags=re.M):
        lines = [line for line in part.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
        found[part.splitlines()[0]] = cells[:1] + cells[2:]
    return found


def shown(path, *columns):
    """Return the tables of a Markdown file as text: these columns, or all, with plain dashes."""
    lines = []
    for heading, cells in rows(path.read_text("utf-8")).items():
        if cells:
            lines.append(f"# {heading}")
        for row in cells[1:]:
            lines.append(" | ".join(row[k] for k in columns or range(len(row))))
    return "\n".join(lines).replace(MINUS, "-").replace(MISSING, "-") + "\n"


# Each correlation is r + `more`; its interval begins `half` below it and ends 2 `half` above it.
SCENES = read_table("""
    task     | subtask     | statistic     | method     | pairs | more | half
    Scenes   | colour      | correlation   | cosine     | 30    | 0    | 0.02
    Scenes   | negation    | correlation   | cosine     | 10    | 0.2  | 0.02
    Scenes-R | Relatedness | correlation   | cosine     | 50    | 0.1  | 0.02
    Scenes-R | Relatedness | correlation   | classifier | 50    | 0.3  | 0.03
    Scenes   | all         | mean          | cosine     | 40    | 0.1  | 0.04
    Scenes   | all         | weighted mean | cosine     | 40    | 0.05 | 0.04
    Scenes   | all         | concatenated  | cosine     | 40    | 0.07 | 0.04
    all      | all         | mean          | cosine     | 40    | 0.1  | 0.04
    all      | all         | weighted mean | cosine     | 40    | 0.05 | 0.04
    all      | all         | concatenated  | cosine     | 40    | 0.07 | 0.04
""")
STS = read_table("""
    task     | subtask     | statistic     | method     | pairs | more | half
    STS 2012 | MSRpar      | correlation   | cosine     | 750   | 0    | 0.02
    STS 2016 | HDL         | correlation   | cosine     | 249   | 0    | 0.02
    STS-B    | STS 12-16   | correlation   | classifier | 1379  | 0.3  | 0.02
    SICK     | Relatedness | correlation   | cosine     | 4927  | 0    | 0.02
    SICK     | Relatedness | correlation   | classifier | 4927  | 0.2  | 0.02
    STS 2012 | all         | weighted mean | cosine     | 999   | 0    | 0.02
    STS 2016 | all         | weighted mean | cosine     | 999   | 0    | 0.02
    all      | all         | weighted mean | cosine     | 999   | 0    | 0.02
""")


def of_system(system, kinds, form=SCENES):
    """Return the scores of a system that has these correlations, by kind and epochs."""
    dataset, model, seed = system.split("/") if "/" in system else (None, None, "seed")
    parts = []
    for (kind, epochs), r in kinds.items():
        pearson = r + form["more"]
        part = form.assign(kind=kind, epochs=epochs, pearson=pearson)
        part["pearson_low"] = pearson - form["half"]
        part["pearson_high"] = pearson + 2 * form["half"]
        parts.append(part)
    table = pd.concat(parts).assign(system=system, dataset=dataset, model=model, seed=seed[4:])
    for end in ("", "_low", "_high"):
        table[f"spearman{end}"] = table[f"pearson{end}"] - 0.01
    return filled(table, schemas.Scores).assign(encoder=None)


def trained(system=SYSTEM, r=0.4, form=SCENES):
    kinds = {("snapshot", "0"): r - 0.3, ("snapshot", "4"): r - 0.1, ("ensemble", "4"): r}
    return of_system(system, kinds, form)


def baseline(name="trigrams", r=0.3, form=SCENES):
    return of_system(name, {("baseline", None): r}, form)


def overlapping(table):
    """The scores of a trained model, with 24 seen pairs and without them half the correlation."""
    halves = {f"unseen_{name}": table[name] / 2 for name in results.CORRELATIONS}
    counts = {"seen": 24, "seen_both": 12}
    return table.assign(**counts, **halves)[list(schema_of(schemas.Overlap).columns)]


def write(folder, *tables, name="scores"):
    paths = []
    for i, table in enumerate(tables):
        paths.append(folder / f"{name}-{i}.csv")
        table.to_csv(paths[-1], index=False)
    return paths


def read(folder, *tables):
    return results.read_scores(write(folder, *tables))


# SYSTEM, and two trainings with a lower R@10
TRAININGS = [("gru-8-max", 1, 50), ("gru-8-max", 2, 40), ("lstm-8-max", 1, 30)]
SELECTED = {"flickr8k": ("gru-8-max", 1)}


PAIRS = read_table("""
    pair | task     | subtask     | rating
    0    | Scenes   | colour      | 0
    1    | Scenes   | colour      | 1
    2    | Scenes   | colour      | 5
    4    | Scenes-R | Relatedness | 2
    5    | Scenes-R | Relatedness | 3
    6    | Scenes-R | Relatedness | 4
""")  # pair 3 is a training pair


def predictions(system, epochs, kind, cosines, classifier=(2.5, 2.6, 2.4)):
    """Return predictions for six pairs, the last three of a supervised task."""
    table = PAIRS.assign(system=system, kind=kind, epochs=epochs, cosine=cosines)
    return table.assign(classifier=[None] * 3 + list(classifier))


TASKS = """task,subtask,source,train,dev,test,dropped
STS 2012,MSRpar,newswire,0,0,750,0
STS 2012,MSRvid,videos,0,0,750,0
STS 2013,HDL,A|B,0,0,1250,5
SICK,Relatedness,pictures,4500,500,4927,0
"""
