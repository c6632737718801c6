import importlib
import json
import re
import subprocess
import sys
import warnings
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from groundvec.cli import fonts
from groundvec.evaluation.ranks import SAME
from groundvec.results import schemas
from groundvec.results.frames import read
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import read_json, write_json
from reproduction.papers.merkx_frank_2019.figure1 import architecture
from reproduction.papers.merkx_frank_2019.reported import ReportedRetrieval
from reproduction.render import style
from reproduction.render.pictures import page as pictures_page
from reproduction.render.pictures import wrap, write
from reproduction.render.samples import retrieved, samples
from reproduction.render.style import save
from reproduction.reporting import measures, results, systems
from reproduction.reporting.embedded import Embedded
from tests.support.examples import description
from tests.support.result_files import BAG, described, filled, models, run, write_models

ROOT = Path(__file__).parents[3]
REPORTED = ROOT / "reproduction" / "papers" / "merkx_frank_2019" / "reported" / "table2.csv"
C2I, I2C = "caption_to_image", "image_to_caption"


def score(dataset, model, seed, kind, epochs, split, test_set, direction, r10, ci, median=3.5):
    return {
        **{"dataset": dataset, "model": model, "seed": seed, "kind": kind, "epochs": epochs},
        **{"language": "en", "split": split, "test_set": test_set, "direction": direction},
        **{"r1": r10 / 4, "r1_ci": ci, "r5": r10 / 2, "r5_ci": ci, "r10": r10, "r10_ci": ci},
        **{"median_rank": median, "mean_rank": 7, "queries": 500, "slurm_job": ""},
        **{"configuration": "0123abcd", "machine": "a computer"},
        **{"commit": "0123abc", "versions": "python 3.11"},
    }


def training(dataset, model, seed=1, dev=(40, 60), snapshots=(4, 8), test_sets=("100",)):
    """Scores of one training: snapshot k has `dev` + k, the ensemble `dev`; test is dev + 10.

    Chance is 2 and 3.
    """
    rows = [
        score(dataset, model, seed, "chance", "", split, test_set, direction, r10, 0, 50.5)
        for split, test_set, (direction, r10) in product(
            ("dev", "test"), test_sets, ((C2I, 2), (I2C, 3))
        )
    ]
    kinds = [("snapshot", str(k), k) for k in snapshots]
    kinds += [("ensemble", "+".join(map(str, snapshots)), 0)]
    for split, (kind, epochs, more), test_set in product(("dev", "test"), kinds, test_sets):
        more += 10 if split == "test" else 0
        which = (dataset, model, seed, kind, epochs, split, test_set)
        rows.append(score(*which, C2I, dev[0] + more, 3))
        rows.append(score(*which, I2C, dev[1] + more, 4))
    return pd.DataFrame(rows)


def write_retrieval(folder, *trainings):
    paths = []
    for i, table in enumerate(trainings):
        path = folder / f"retrieval-{i}.csv"
        filled(table, schemas.Retrieval).to_csv(path, index=False)
        paths.append(path)
    return paths


def results_of(folder, *trainings, **descriptions):
    """The options of scripts/report.py for the results of some trainings."""
    names = [tuple(table[["dataset", "model", "seed"]].iloc[0]) for table in trainings]
    names = [(dataset, model, int(seed)) for dataset, model, seed in names]
    files = write_models(folder, *names, **descriptions)
    return ["--models", *files, "--retrieval", *write_retrieval(folder, *trainings)]


def sections(markdown):
    """Return the headings of a table, each with the cells of the rows below it."""
    found = {}
    for part in markdown.split("### ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        found[part.splitlines()[0]] = [
            [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]
        ]
    return found


# Tables


def test_table2_has_measured_beside_reported_rows(tmp_path):
    arguments = results_of(
        tmp_path,
        training("flickr8k", "lstm-1024-attention", dev=(40, 60), test_sets=["1k"]),
        training("flickr8k", "gru-2048-max", dev=(40, 50), test_sets=["1k"]),
        training("flickr8k", "gru-2048-attention", seed=2, dev=(41, 60), test_sets=["1k"]),
        training("flickr8k", "gru-2048-attention", seed=1, dev=(39, 60), test_sets=["1k"]),
        training("flickr8k", "gru-1024-attention", dev=(20, 30), test_sets=["1k"]),
    )
    run("table2", *arguments, "--reported", REPORTED, "--output", tmp_path / "t")
    markdown = (tmp_path / "t.md").read_text("utf-8")
    groups = sections(markdown)
    assert list(groups) == ["Flickr8k, test set 1k"]
    rows = groups["Flickr8k, test set 1k"]
    assert [row[:2] for row in rows] == [
        ["computed", "chance"],
        ["reported", "Klein et al. (2015)"],
        ["reported", "Wehrmann et al. (2018)"],
        ["reported", "Dong et al. (2018)"],
        ["reported", "char-GRU"],
        ["measured", "gru-1024-attention, seed 1"],
        ["measured", "gru-2048-attention, seed 1"],
        ["measured", "gru-2048-attention, seed 2†"],
        ["measured", "gru-2048-max, seed 1"],
        ["measured", "lstm-1024-attention, seed 1"],
    ]
    # As the paper prints them; a dash where it has one.
    assert rows[4][2:6] == ["27.5 ± 1.2", "58.2 ± 1.4", "70.5 ± 1.3", "4.0"]
    assert rows[4][6:] == ["38.5 ± 3.0", "68.9 ± 2.9", "79.3 ± 2.5", "2.0"]
    assert rows[3][2:7] == ["–"] * 4 + ["36.3 ± 3.0"]  # noqa: RUF001
    # The ensemble's scores on the test set: 41 + 10 and 60 + 10 at R@10.
    assert rows[7][2:6] == ["12.8 ± 3.0", "25.5 ± 3.0", "51.0 ± 3.0", "3.5"]
    assert rows[7][6:] == ["17.5 ± 4.0", "35.0 ± 4.0", "70.0 ± 4.0", "3.5"]
    assert rows[0][2:6] == ["0.5 ± 0.0", "1.0 ± 0.0", "2.0 ± 0.0", "50.5"]
    for text in ("ranks before", "mean of the middle two", "1.96 sqrt(p(1-p)/n)", "Reported: as"):
        assert text in markdown
    assert "Chance: the expectation" in markdown and "folds of" not in markdown


def test_table2_has_only_test_sets_that_were_measured(tmp_path):
    def groups(*trainings):
        arguments = results_of(tmp_path, *trainings)
        run("table2", *arguments, "--reported", REPORTED, "--output", tmp_path / "t")
        text = (tmp_path / "t.md").read_text("utf-8")
        return text, {
            name: {row[0] for row in rows} - {"computed"} for name, rows in sections(text).items()
        }

    text, found = groups(
        training("scenes", "gru-8-max"),
        training("mscoco", "gru-8-max", test_sets=["1k-folds", "700"]),
    )
    assert found == {
        "scenes, test set 100": {"measured"},
        "MSCOCO, test set 1k-folds": {"reported", "measured"},
        "MSCOCO, test set 700": {"measured"},
    }
    assert "folds of" in text
    text, found = groups(training("scenes", "gru-8-max"))
    assert found == {"scenes, test set 100": {"measured"}}
    assert "eported" not in text  # no note explains reported values


def test_table2_csv_keeps_raw_numbers_and_where_they_are_from(tmp_path):
    arguments = ["--reported", REPORTED, "--output", tmp_path / "t"]
    measured = results_of(tmp_path, training("scenes", "gru-64-attention", dev=(33.3333, 50)))
    run("table2", *measured, *arguments)
    table = pd.read_csv(tmp_path / "t.csv")
    assert table["source"].tolist() == ["computed", "measured"]
    ours = table.iloc[1]
    assert ours["caption_to_image_r10"] == 43.3333
    assert ours[["commit", "machine", "model", "epochs"]].tolist() == [
        *("0123abc", "a computer", "gru-64-attention", "4+8")
    ]
    assert (ours["seed"], ours["selected"], ours["image_to_caption_queries"]) == (1, True, 500)
    chance = table.iloc[0]
    assert chance[["model", "commit", "caption_to_image_queries"]].tolist() == [
        *("chance", "0123abc", 500)
    ]
    assert chance[["seed", "selected", "epochs"]].isna().all()
    assert (ours["caption_to_image_mean_rank"], ours["language"]) == (7, "en")
    measured = results_of(tmp_path, training("flickr8k", "gru-8-max", test_sets=["1k"]))
    run("table2", *measured, *arguments)
    table = pd.read_csv(tmp_path / "t.csv")
    theirs = table[table["source"] == "reported"]
    assert len(theirs) == 4
    assert theirs[["commit", "seed", "selected"]].isna().all(axis=None)
    assert (theirs["paper"] == "merkx-frank-2019").all()


def test_the_best_ensemble_on_the_whole_development_set_is_selected():
    good = training("mscoco", "gru-8-attention", dev=(50, 50), test_sets=["5k", "1k-folds"])
    best = training("mscoco", "lstm-8-attention", dev=(52, 50), test_sets=["5k", "1k-folds"])
    other = training("scenes", "gru-8-max", seed=3, dev=(1, 2))
    # What must not count: a fold, a single snapshot, the test set.
    misleading = (good["test_set"] == "1k-folds") | (good["kind"] == "snapshot")
    good.loc[misleading | (good["split"] == "test"), "r10"] = 99.0
    measured = pd.concat([good, best, other], ignore_index=True)
    assert systems.select(measured, None, "recall") == {
        "mscoco": ("lstm-8-attention", 1),
        "scenes": ("gru-8-max", 3),
    }


def test_of_models_that_differ_by_rounding_the_first_is_selected():
    first = training("scenes", "gru-8-max", dev=(50, 50))
    second = training("scenes", "lstm-8-max", dev=(np.nextafter(50, 51), np.nextafter(50, 51)))
    both = pd.concat([first, second], ignore_index=True)
    assert systems.select(both, None, "recall") == {"scenes": ("gru-8-max", 1)}


def test_chance_selects_nothing():
    table = training("scenes", "gru-8-max", dev=(1, 2))  # worse than chance
    without = table[table["kind"] != "chance"]
    for rows in (table, without):
        assert systems.select(rows, None, "recall") == {"scenes": ("gru-8-max", 1)}
    recall = measures.recall(table, "dev")
    pd.testing.assert_frame_equal(
        recall[recall["kind"] != "chance"].reset_index(drop=True),
        measures.recall(without, "dev"),
    )


def semantic(*scores):
    """Semantic scores of (dataset, model, seed, kind, r)."""
    columns = ["dataset", "model", "seed", "kind", "pearson"]
    return pd.DataFrame(scores, columns=columns).assign(measure="semantic score")


def test_models_are_selected_by_ratings_or_by_name():
    measured = pd.concat(
        [
            training("scenes", "gru-8-max", seed=1, dev=(50, 50)),
            training("scenes", "gru-8-max", seed=2, dev=(55, 55)),
            training("scenes", "lstm-8-max", seed=1, dev=(70, 70)),
            training("flickr8k", "gru-8-max", seed=3, dev=(1, 1)),
        ],
        ignore_index=True,
    )
    of_ratings = semantic(
        ("scenes", "lstm-8-max", 1, "ensemble", 0.5),
        ("scenes", "gru-8-max", 2, "ensemble", 0.6),
        ("scenes", "gru-8-max", 1, "ensemble", np.nextafter(0.6, 1)),  # equal but for rounding
        ("scenes", "lstm-8-max", 1, "snapshot", 0.9),  # no model is selected by a snapshot
        ("flickr8k", "gru-8-max", 3, "ensemble", 0.1),
        ("", "", None, "baseline", 0.9),
    )
    flickr8k = {"flickr8k": ("gru-8-max", 3)}
    selected = systems.select(measured, of_ratings, "recall")
    assert selected == {"scenes": ("lstm-8-max", 1)} | flickr8k
    selected = systems.select(measured, of_ratings, "ratings")
    assert selected == {"scenes": ("gru-8-max", 2)} | flickr8k
    selected = systems.select(measured, None, "gru-8-max")
    assert selected == {"scenes": ("gru-8-max", 2)} | flickr8k
    with pytest.raises(InputError, match="flickr8k has no scores of a model 'lstm-8-max'"):
        systems.select(measured, None, "lstm-8-max")
    others = of_ratings[of_ratings["dataset"] != "flickr8k"]
    with pytest.raises(InputError, match="flickr8k has no semantic scores to select by"):
        systems.select(measured, others, "ratings")


def test_table2_says_how_its_models_were_selected(tmp_path):
    trainings = [
        training("scenes", "gru-8-max", dev=(50, 50)),
        training("scenes", "lstm-8-max", dev=(40, 40)),
    ]
    arguments = [
        *results_of(tmp_path, *trainings),
        "--reported",
        REPORTED,
        "--output",
        tmp_path / "t",
    ]
    for rule, says, dagger in (
        ("recall", "the model with the best R@10 on its data set's development set", 1),
        ("lstm-8-max", "lstm-8-max, which the configuration names; of its seeds", 2),
    ):
        run("table2", *arguments, "--select", rule)
        text = (tmp_path / "t.md").read_text("utf-8")
        (rows,) = sections(text).values()
        assert [row[1].endswith("†") for row in rows].index(True) == dagger
        assert f"- † The selected model of a data set: {says}" in text
    with pytest.raises(InputError, match="this table or figure needs --scores: pass it as well"):
        run("table2", *arguments, "--select", "ratings")


def test_the_ensemble_and_the_best_snapshot_end_cycles(tmp_path):
    dev_recall = {0: 1, 1: 99, 4: 60, 6: 60 + 1e-12, 8: 60, 10: 59}
    columns = {"epoch": dev_recall.keys(), "dev_recall": dev_recall.values()}
    history = pd.DataFrame(columns)
    filled(history, schemas.History).to_csv(tmp_path / "history.csv", index=False)
    [model] = write_models(tmp_path, ("scenes", "gru-8-max"), snapshots=(4, 6, 10))
    script = importlib.import_module("scripts.ensemble")
    files = ("--history", tmp_path / "history.csv", "--model", model)
    words = [str(word) for word in (*files, "--output", tmp_path / "ensemble.json")]
    script.main(script.parser.parse_args(words))
    # 1 is better and 8 as good, but no end of a cycle; of equals, up to rounding, it is the later.
    chosen = read_json(tmp_path / "ensemble.json")
    assert chosen == {"epochs": [4, 6], "best": 6}
    for content, message in (
        ("[4]", "model.json does not describe a model"),
        ('{"description": {}}', "model.json does not describe a model"),
        (model.read_text().replace("10", "12"), "the history has no epoch 12, which is a snapshot"),
    ):
        model.write_text(content)
        with pytest.raises(InputError, match=message):
            script.main(script.parser.parse_args(words))


def test_the_best_snapshot_is_the_one_that_ensemble_json_names(tmp_path):
    described = models(tmp_path, ("scenes", "gru-8-max"), snapshots=(4, 6))
    about = described.iloc[0]
    assert systems.best_snapshot(about) == 4
    path = Path(about["folder"], "ensemble.json")
    path.write_text('{"epochs": [4, 6]}')
    with pytest.raises(InputError, match=r"ensemble\.json does not describe a model"):
        systems.best_snapshot(about)


# Models


def test_models_stand_in_the_order_of_the_grid_and_unknown_parts_behind(tmp_path):
    """Known: GRU, LSTM; attention, max; sizes. Unknown ones as they come."""
    table = models(
        tmp_path,
        *(("scenes", name) for name in ("floor", "ran", "mean", "gru-8-max", "lstm-8-attention")),
        *(("scenes", name) for name in ("gru-16-attention", "words", "dot")),
        *(("flickr8k", "gru-8-attention", 2), ("scenes", "gru-8-attention", 2)),
        ("scenes", "gru-8-attention", 1),
        floor={**BAG, "objective": {"name": "hinge"}, "similarity": "cosine"},
        ran=described("ran-4-attention"),
        mean=described("gru-8-mean"),
        words=described("gru-4-attention", text={"name": "words"}),
        dot=described("gru-4-max", similarity="dot", objective={"name": "squared"}),
    )
    assert table[["dataset", "model", "seed", "network", "pooling", "size"]].values.tolist() == [
        ["scenes", "gru-8-attention", 1, "GRU", "attention", 8],
        ["scenes", "gru-8-attention", 2, "GRU", "attention", 8],
        ["scenes", "gru-16-attention", 1, "GRU", "attention", 16],
        ["scenes", "gru-8-max", 1, "GRU", "max", 8],
        ["scenes", "mean", 1, "GRU", "mean", 8],
        ["scenes", "lstm-8-attention", 1, "LSTM", "attention", 8],
        ["scenes", "floor", 1, "bag (words)", "", 8],
        ["scenes", "ran", 1, "RAN", "attention", 4],
        ["scenes", "words", 1, "GRU (words)", "attention", 4],
        ["scenes", "dot", 1, "GRU (dot, squared)", "max", 4],
        ["flickr8k", "gru-8-attention", 2, "GRU", "attention", 8],
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], "does not describe a model (it: "),
        ({"description": {"text": {}}}, "does not describe a model (description"),
        ({"seed": "x"}, "does not describe a model (seed: "),
        ({}, "repeats rows of another input: pass each file once"),
    ],
)
def test_bad_descriptions_are_named(tmp_path, content, message):
    good = write_models(tmp_path / "a", ("scenes", "gru-8-max"))
    whole = {"dataset": "scenes", "model": "gru-8-max", "seed": 1, "snapshots": [4]}
    whole["description"] = described("gru-8-max")
    write_json(tmp_path / "bad.json", content if isinstance(content, list) else whole | content)
    with pytest.raises(InputError) as error:
        results.read_models([*good, tmp_path / "bad.json"])
    assert "bad.json" in str(error.value) and message in str(error.value)
    assert "\n" not in str(error.value)


def test_results_without_a_description_are_named(tmp_path):
    trainings = [training("scenes", "gru-8-max"), training("scenes", "lstm-8-max")]
    arguments = results_of(tmp_path, *trainings)
    for kind in ("table2", "snapshots"):
        with pytest.raises(InputError, match="found results for scenes/lstm-8-max/seed1"):
            run(
                *(kind, "--models", arguments[1], *arguments[3:]),
                *("--reported", REPORTED, "--output", tmp_path / "t"),
            )


def test_a_trained_floor_stands_in_table2_like_any_model(tmp_path):
    floor = {**BAG, "similarity": "cosine", "objective": {"name": "hinge"}}
    trainings = [training("scenes", "words"), training("scenes", "gru-8-max", dev=(50, 60))]
    arguments = results_of(tmp_path, *trainings, words=floor)
    run("table2", *arguments, "--reported", REPORTED, "--output", tmp_path / "t")
    (rows,) = sections((tmp_path / "t.md").read_text("utf-8")).values()
    assert [row[1] for row in rows] == ["chance", "gru-8-max, seed 1†", "words, seed 1"]


def test_several_languages_are_told_apart(tmp_path):
    english = training("scenes", "gru-8-max")
    german = english.assign(language="de", r10=english["r10"] / 2)
    arguments = results_of(tmp_path, pd.concat([english, german]))
    run("table2", *arguments, "--reported", REPORTED, "--output", tmp_path / "t")
    groups = sections((tmp_path / "t.md").read_text("utf-8"))
    assert list(groups) == ["scenes, test set 100, en", "scenes, test set 100, de"]
    en, de = ([row[4] for row in rows] for rows in groups.values())
    assert (en, de) == (["2.0 ± 0.0", "50.0 ± 3.0"], ["1.0 ± 0.0", "25.0 ± 3.0"])


def test_snapshots_stand_below_their_ensemble(tmp_path):
    arguments = results_of(
        tmp_path,
        training("scenes", "gru-8-attention", dev=(40, 60), snapshots=(4, 8, 12)),
        training("scenes", "gru-8-max", dev=(10, 20), snapshots=(4,)),
    )
    run("snapshots", *arguments, "--output", tmp_path / "t")
    text = (tmp_path / "t.md").read_text("utf-8")
    groups = sections(text)
    first, second = groups.values()
    assert list(groups) == [
        "scenes, test set 100: gru-8-attention, seed 1",
        "scenes, test set 100: gru-8-max, seed 1",
    ]
    # The development set's R@10 is the mean of both directions, +- sqrt(3^2 + 4^2) / 2.
    assert [row[:2] for row in first] == [
        ["chance", "2.5 ± 0.0"],
        ["ensemble 4+8+12", "50.0 ± 2.5"],
        ["snapshot 4", "54.0 ± 2.5"],
        ["snapshot 8", "58.0 ± 2.5"],
        ["snapshot 12", "62.0 ± 2.5"],
    ]
    recalls = ["2.0 ± 0.0", "50.0 ± 3.0", "54.0 ± 3.0", "58.0 ± 3.0", "62.0 ± 3.0"]
    assert [row[4] for row in first] == recalls
    assert [row[0] for row in second] == ["chance", "ensemble 4", "snapshot 4"]
    assert "1k-folds" not in text  # no fold is in these results
    table = pd.read_csv(tmp_path / "t.csv")
    assert table["dev_r10"].tolist() == [2.5, 50, 54, 58, 62, 2.5, 15, 19]
    assert table["commit"].eq("0123abc").all()


def test_latex_is_well_formed_whatever_the_names(tmp_path):
    reported = pd.read_csv(REPORTED)
    reported.loc[reported["model"] == "char-GRU", "model"] = r"A_B & C {100%} #1 $x^2$ \o~"
    reported.to_csv(tmp_path / "reported.csv", index=False)
    arguments = results_of(
        tmp_path,
        training("my_photos", "gru-64-attention"),
        training("flickr8k", "gru-64-attention", test_sets=["1k"]),
    )
    reported = tmp_path / "reported.csv"
    run("table2", *arguments, "--reported", reported, "--output", tmp_path / "t")
    run("snapshots", *arguments, "--output", tmp_path / "snapshots")
    for name in ("t.tex", "snapshots.tex"):
        latex = (tmp_path / name).read_text("utf-8")
        columns = len(re.search(r"\{@\{\}([lr]+)@\{\}\}", latex)[1])
        rows = [row for row in latex.splitlines() if row.endswith(r"\\") and "multic" not in row]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows if "&" in row} == {columns - 1}
        bare = re.sub(r"\\[&%$#_{}\\]", "", latex)
        depths = np.cumsum([{"{": 1, "}": -1}.get(c, 0) for c in bare])
        assert depths.min() >= 0 and depths[-1] == 0
        assert bare.count("$") % 2 == 0
        assert re.findall(r"\\begin\{(\w+)\}", latex) == re.findall(r"\\end\{(\w+)\}", latex)
        for rule in ("toprule", "midrule", "bottomrule"):
            assert f"\\{rule}" in latex
        latex.encode("ascii")  # old LaTeX engines read only ASCII
        assert r"\textbf{my\_photos, test set 100" in latex
    escaped = r"A\_B \& C \{100\%\} \#1 \$x\textasciicircum{}2\$ \textbackslash{}o\textasciitilde{}"
    latex = (tmp_path / "t.tex").read_text()
    assert f"reported & {escaped} & 27.5 $\\pm$ 1.2 &" in latex
    assert r"measured & gru-64-attention, seed 1\dag{} & 12.5 $\pm$ 3.0 &" in latex


# Figures


def test_files_are_equal_when_figures_are_and_fonts_are_truetype(tmp_path):
    for name in ("one", "two"):
        style.save(architecture("resnet152"), tmp_path / "v1.5" / name)
    for suffix in (".pdf", ".png", ".svg"):
        one, two = (tmp_path / "v1.5" / f"{name}{suffix}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    pdf = one.with_suffix(".pdf").read_bytes()
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf and b"CreationDate" not in pdf


@pytest.mark.parametrize(("backbones", "crops"), [(1, 10), (3, 2), (1, None)])
def test_figure1_names_the_backbones_and_no_text_covers_another(tmp_path, backbones, crops):
    names = [f"efficientnet_lite{number}" for number in range(backbones)]
    settings = {"backbone": "+".join(names), **({"crops": crops} if crops else {})}
    run("figure1", "--settings", json.dumps(settings), "--output", tmp_path / "figure1")
    assert (tmp_path / "figure1.pdf").exists() and (tmp_path / "figure1.png").exists()
    drawn = (tmp_path / "figure1.svg").read_text()
    assert ("crops" in drawn) == bool(crops)
    figure = architecture("+".join(names), crops)
    figure.draw_without_rendering()
    texts = [t for t in figure.axes[0].texts if t.get_text()]
    for name in (*names, *({10: ["ten"], 2: ["two"]}.get(crops, []))):
        assert any(name in t.get_text() for t in texts)
    boxes = [t.get_window_extent() for t in texts]
    assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]
    width, height = figure.get_size_inches() * figure.dpi
    assert min(b.x0 for b in boxes) > 0 and max(b.x1 for b in boxes) < width
    assert min(b.y0 for b in boxes) > 0 and max(b.y1 for b in boxes) < height


# Samples


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=15))
def test_what_is_retrieved_equals_sorting_by_hand(candidates):
    scores = np.array([score for score, _ in candidates], float)
    own = np.array([right for _, right in candidates])
    own[len(own) // 2] = True
    order = sorted(range(len(own)), key=lambda i: (-scores[i], own[i]))  # right ones last in a tie
    expected = [(rank, i, own[i]) for rank, i in enumerate(order, 1)]
    right = [entry for entry in expected if entry[2]]
    expected = expected[:5] + ([right[0]] if right[0][0] > 5 else [])
    assert retrieved(scores, own, SAME) == expected


@given(st.text(max_size=300), st.integers(1, 4))
def test_any_caption_can_be_wrapped(text, lines):
    wrapped = wrap(text, 1.2, lines)
    assert 1 <= len(wrapped) <= lines
    assert not any("\n" in line for line in wrapped)


def test_a_wrapped_caption_keeps_its_words_and_is_cut_only_when_too_long():
    words = "A dog in a red coat jumps over a fence while two children look on"
    assert " ".join(wrap(words, 1.2, 9)) == words
    assert len(wrap(words, 9.0, 9)) == 1
    assert wrap(words, 1.2, 2)[-1].endswith(" …")


def test_letters_that_no_font_has_are_said_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("groundvec.cli.fonts.with_letters", lambda _: None)
    page, axes = pictures_page(1)
    for number, text in enumerate(("a 🐶", "犬 🐶", "Größe, كلب")):
        write(axes, 0, number / 3, " ".join(wrap(text, 9.0, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib has one for each
        save(page, tmp_path / "a")
    [line] = caplog.messages
    assert line.endswith(
        "no font here has 犬🐶, which are drawn as boxes: use .html, or install a font"
    )


@pytest.mark.skipif(
    not fonts.with_letters(frozenset("犬")), reason="no font of this machine has Chinese letters"
)
def test_letters_come_from_a_font_of_the_system(tmp_path, caplog):
    drawn = []
    for text in ("犬", "狗"):
        page, axes = pictures_page(1)
        write(axes, 0, 0, text)
        save(page, tmp_path / "a")
        drawn.append((tmp_path / "a.svg").read_text())
    assert drawn[0] != drawn[1] and not caplog.messages


@pytest.fixture
def pictures(tmp_path):
    paths = []
    for i, size in enumerate([(60, 40), (40, 60), (50, 50), (60, 40), (90, 30), (30, 30), (9, 9)]):
        path = tmp_path / f"{i}.png"
        Image.new("RGB", size, (30 * i, 200 - 20 * i, 120)).save(path)
        paths.append(str(path))
    return paths


def test_samples_mark_what_is_right(pictures, tmp_path):
    """Seven images on a circle; caption k is of image k, but lies where image 6 - k does."""
    angles = np.linspace(0, 1.5, 7)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    captions = [f"Caption {k} 🐶 costs $5 \\frac_ or $10" for k in range(7)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ids = np.array([f"i{k}" for k in range(7)])
        both = Embedded(captions, np.arange(7), ids, vectors[::-1], vectors, "cosine")
        arguments = (both, pd.Series(pictures, ids))
        figure = samples(*arguments, count=9)
        style.save(figure, tmp_path / "samples")
    page = figure.axes[0]
    texts = [text.get_text() for text in page.texts]
    # Caption 0 lies on image 6, so that its own is the last; caption 1 on image 5, so that only
    # image 0 is farther than its own; 2 on 4, so that 4, 3, 5 and maybe 6 are nearer.
    ticks = sorted(text for text in texts if text.startswith("✓"))
    assert ticks.count("✓ 7") == 4  # captions 0 and 6, images 0 and 6
    assert ticks.count("✓ 6") == 4  # captions 1 and 5, images 1 and 5
    assert ticks.count("✓ 1") == 2  # caption 3 lies on image 3
    assert len(ticks) == 14
    # 7 captions with the top five and 4 of their own behind; 7 images as queries
    assert len(page.images) == 7 * 5 + 4 + 7
    thick = [p for p in page.patches if p.get_linewidth() > 2]
    assert len(thick) == 7
    assert Image.open(tmp_path / "samples.png").width == 1400

    again = samples(*arguments, count=2, seed=5)
    assert [t.get_text() for t in again.axes[0].texts] == [
        t.get_text() for t in samples(*arguments, count=2, seed=5).axes[0].texts
    ]
    assert len(again.axes[0].images) < len(page.images)


def test_what_ranks_before_a_right_one_does_not_depend_on_rounding():
    """Wrong candidates within a millionth of the right one's score precede it, as in retrieval."""
    own = np.array([True, False, False])
    for scores in ([0.5, 0.5 + 1e-7, 0.5 - 1e-7], [0.5, 0.5 - 1e-7, 0.5 - 1e-7]):
        found = retrieved(np.array(scores, np.float32), own, SAME)
        assert [right for _, _, right in found] == [False, False, True]
    assert retrieved(np.array([0.5, 0.49, 0.51]), own, SAME)[1] == (2, 0, True)


@pytest.fixture
def trained(pictures, tmp_path):
    """Return a folder: an untrained network as a training's only snapshot, and its data."""
    import torch

    from groundvec.data import dataset
    from groundvec.features import store
    from groundvec.model.network import Model
    from groundvec.model.weights import save as save_weights
    from groundvec.text.characters import Text

    names = [f"i{k}" for k in range(7)]
    splits = ["dev", *["test"] * 6]
    images = pd.DataFrame({"image_id": names, "split": splits, "path": pictures})
    captions = pd.DataFrame(
        [
            (name, "en", split, f"Picture {name} for the {k}th time 🐶")
            for name, split in zip(names, splits, strict=True)
            for k in range(6)  # five are used
        ],
        columns=dataset.CAPTION_COLUMNS,
    )
    dataset.write(tmp_path, captions, images)
    features = np.random.default_rng(0).normal(size=(7, 12)).astype(np.float32)
    store.write(tmp_path / "features.h5", features, names, {})
    torch.manual_seed(0)
    text = Text.build(captions["caption"])
    model = Model(description("gru-8-attention"), {"en": text}, 12)
    folder = tmp_path / "models" / "scenes" / "gru-8-attention" / "seed1"
    save_weights(model, folder / "snapshots" / "epoch-000.safetensors")
    about = {"dataset": "scenes", "model": "gru-8-attention", "seed": 1, "key": "0123abcd"}
    about |= {"snapshots": [0], "saved": [0], "width": 12, "texts": {"en": text.as_dict()}}
    about["description"] = model.description
    write_json(folder / "model.json", about)
    write_json(folder / "ensemble.json", {"epochs": [0], "best": 0})
    return folder


def test_retrieval_scores_have_chance_beside_the_models(trained, tmp_path):
    arguments = ("--captions", tmp_path / "captions.csv", "--features", tmp_path / "features.h5")
    script = importlib.import_module("scripts.retrieval")
    arguments = ("--model", trained, *arguments, "--threads", 1)
    words = map(str, [*arguments, "--output", tmp_path / "scores"])
    script.main(script.parser.parse_args(list(words)))
    table = results.read_retrieval([tmp_path / "scores.csv"])
    assert len(table) == 3 * 2 * 2  # models, splits, directions
    chance = table[(table["kind"] == "chance") & (table["split"] == "test")]
    # Six images with five captions each; 1 - C(25, 10) / C(30, 10) at 10.
    np.testing.assert_allclose(chance["r5"], [500 / 6, 100 * (1 - 53130 / 142506)])
    assert chance["r10"].tolist() == [100, pytest.approx(100 * (1 - 3268760 / 30045015))]
    assert chance["epochs"].tolist() == ["", ""] and chance["commit"].notna().all()
    run(
        *("table2", "--models", trained / "model.json", "--retrieval", tmp_path / "scores.csv"),
        *("--reported", REPORTED, "--output", tmp_path / "t"),
    )
    (rows,) = sections((tmp_path / "t.md").read_text("utf-8")).values()
    assert rows[0][:4] == ["computed", "chance", "16.7 ± 0.0", "83.3 ± 0.0"]


def test_images_have_the_same_numbers_for_models_of_any_language(trained, tmp_path):
    """The first of six test images, and its five captions, are not for a model of English."""
    captions = pd.read_csv(tmp_path / "captions.csv")
    captions.loc[captions["image_id"] == "i1", "language"] = "de"
    captions.to_csv(tmp_path / "captions.csv", index=False)
    script = importlib.import_module("scripts.retrieval")
    arguments = ("--model", trained, "--captions", tmp_path / "captions.csv", "--threads", 1)
    arguments += ("--features", tmp_path / "features.h5", "--output", tmp_path / "scores")
    script.main(script.parser.parse_args(list(map(str, arguments))))
    ranks = pd.read_csv(tmp_path / "scores.ranks.csv")
    for _, own in ranks.groupby(["kind", "direction"]):
        assert own["image"].unique().tolist() == [1, 2, 3, 4, 5]


def test_samples_of_a_trained_ensemble_are_drawn(trained, tmp_path):
    captions = pd.read_csv(tmp_path / "captions.csv")
    images = pd.read_csv(tmp_path / "images.csv")
    measured = write_retrieval(tmp_path, training("scenes", "gru-8-attention"))
    arguments = [
        *("--models", trained / "model.json", "--retrieval", *measured),
        *("--captions", tmp_path / "captions.csv"),
        *("--images", tmp_path / "images.csv", "--features", tmp_path / "features.h5"),
        *("--output", tmp_path / "samples"),
    ]
    run("samples", *arguments)
    assert Image.open(tmp_path / "samples.png").width == 1400
    assert (tmp_path / "samples.pdf").exists()

    images[:3].to_csv(tmp_path / "images.csv", index=False)
    with pytest.raises(InputError, match=r"images\.csv lacks the image i3 \(4"):
        run("samples", *arguments)
    captions[captions["split"] == "dev"].to_csv(tmp_path / "captions.csv", index=False)
    with pytest.raises(InputError, match="the data set has no test captions in language en"):
        run("samples", *arguments)
    both = [training(name, "gru-8-attention") for name in ("scenes", "flickr8k")]
    with pytest.raises(InputError, match="shows one data set"):
        run("samples", *arguments, "--retrieval", *write_retrieval(tmp_path, *both))


# Bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t[t["split"] == "dev"], "has no test scores caption_to_image of an ensemble"),
        (lambda t: t.assign(epochs=None), "line 6 has no epochs"),  # after four rows of chance
    ],
)
def test_incomplete_retrieval_scores_are_refused(tmp_path, change, message):
    table = change(filled(training("scenes", "gru-64-attention"), schemas.Retrieval))
    table.to_csv(tmp_path / "bad.csv", index=False)
    good = write_retrieval(tmp_path, training("scenes", "lstm-64-attention"))
    with pytest.raises(InputError, match=rf"bad\.csv {message}"):
        results.read_retrieval([*good, tmp_path / "bad.csv"])


def test_an_error_is_one_line_and_a_help_has_an_example(tmp_path):
    def call(*arguments):
        command = [sys.executable, ROOT / "scripts" / "report.py", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)

    figure2 = ("merkx_frank_2019/figure2", "--output", tmp_path / "f")
    result = call(*figure2, "--retrieval", tmp_path / "none.csv")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"error: {tmp_path / 'none.csv'} does not exist: make it first\n"
    result = call(*figure2)
    assert result.stderr == "error: this table or figure needs --retrieval: pass it as well\n"
    result = call("--help")
    assert "python scripts/report.py merkx_frank_2019/table2 " in result.stdout
    for item in ("table_s1", "section_4_3_4", "samples"):
        assert f"  merkx_frank_2019/{item}\n" in result.stdout


def test_the_reported_numbers_are_the_paper_s():
    """Spot checks against Table 2 as printed."""
    reported = read(REPORTED, ReportedRetrieval).set_index(["dataset", "test_set", "model"])
    row = reported.loc[("mscoco", "1k-folds", "Faghri et al. (2017)")]
    assert row[row["direction"] == I2C][["r1", "r1_ci", "median_rank"]].values.tolist() == [
        [64.6, 1.3, 1.0]
    ]
    assert len(reported) == 23  # 12 models both ways, but one of them has one direction only
