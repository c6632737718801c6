"""Tables of ratings: Tables 1 and 3, and the supplement of Merkx & Frank (2019)."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from groundvec.card.text import MINUS, MISSING
from groundvec.data import ratings
from groundvec.data.archives import unpack
from reproduction.papers.merkx_frank_2019 import table3
from reproduction.reporting import results
from tests.support.refusals import refused
from tests.support.result_files import (
    REPORTED,
    SELECTED,
    SYSTEM,
    TASKS,
    TRAININGS,
    baseline,
    of_scores,
    rows,
    run,
    sts_rows,
    trained,
)


def test_table1_counts_pairs(tmp_path):
    (tmp_path / "tasks.csv").write_text(TASKS)
    run("--tasks", tmp_path / "tasks.csv", "--output", tmp_path / "table1")
    tables = rows((tmp_path / "table1.md").read_text("utf-8"))
    assert tables["Test pairs only"][1:] == [
        ["STS 2012", "MSRpar", "newswire", MISSING, MISSING, "750", "0"],
        ["", "MSRvid", "videos", MISSING, MISSING, "750", "0"],
        ["STS 2013", "HDL", r"A\|B", MISSING, MISSING, "1,250", "5"],
        ["Total", "", "", MISSING, MISSING, "2,750", "5"],
    ]
    assert tables["With training pairs"][1:] == [
        ["SICK", "Relatedness", "pictures", "4,500", "500", "4,927", "0"]
    ]
    assert len(pd.read_csv(tmp_path / "table1.csv")) == 4


def test_table3_shows_what_adds_most_and_least_to_the_correlation(files, retrieval, tmp_path):
    arguments = ["--predictions", *files, *retrieval, "--ratings", tmp_path / "ratings.csv"]
    arguments += ["--output", tmp_path / "table3"]
    run(*arguments)
    table = pd.read_csv(tmp_path / "table3.csv")
    # Scores 0, 1, 5 (mean 2) and cosines 0.5, 0.1, 0.6 (mean 0.4): products -0.2, 0.3, 0.6.
    # Scores 2, 3, 4 and ratings 3.5, 3.1, 3.0 (mean 3.2): products -0.3, 0, -0.2.
    assert table[["subtask", "agreement", "pair"]].values.tolist() == [
        ["colour", "highest", 2],
        ["colour", "lowest", 0],
        ["Relatedness", "highest", 5],
        ["Relatedness", "lowest", 4],
    ]
    # The mean of the products is r; these deviations by hand: sqrt(14/3), sqrt(0.14/3).
    np.testing.assert_allclose(table["contribution"][0], 0.6 / np.sqrt(14 / 3 * 0.14 / 3))
    shown = rows((tmp_path / "table3.md").read_text("utf-8"))["gru-8-max Flickr8k"]
    sentences = [r"a 2 \*costs\* \$5 & 3% \<b>", "b 2"]
    assert shown[1] == ["Scenes colour", "highest", "5.00", "0.60", *sentences]

    pairs = pd.read_csv(tmp_path / "ratings.csv")
    pairs[1:].to_csv(tmp_path / "ratings.csv", index=False)
    with refused(rf"{SYSTEM} belong to other rated pairs \(pair 0"):
        run(*arguments)


def test_table3_takes_the_first_of_pairs_that_are_equal_or_differ_by_rounding(files, tmp_path):
    table = results.read_predictions(files)
    pairs = pd.read_csv(tmp_path / "ratings.csv")
    # The mean of three 0.1 is not 0.1; nor are all cosines of equal sentences the same.
    for cosines in (0.5, 0.1, table["pair"].map({1: 1 - 6e-8, 2: 1 + 6e-8}).fillna(1)):
        chosen = table3.table3(table.assign(cosine=cosines), pairs, SELECTED)
        assert chosen["pair"][:2].tolist() == [0, 0]
        assert chosen["contribution"][:2].tolist() == [0, 0]
    # Cosines 0.2, 0.5, 0.8 of the scores 0, 2.5, 5: pairs 0 and 2 contribute the same.
    for frame, pair in ((table, table["pair"]), (pairs, pairs.index.to_series())):
        frame["rating"] = pair.map({0: 0.0, 1: 2.5, 2: 5.0}).fillna(frame["rating"])
    for more in (-1e-8, 0, 1e-8):
        table["cosine"] = table["pair"].map({0: 0.2, 1: 0.5, 2: 0.8 + more}).fillna(0.5)
        assert table3.table3(table, pairs, SELECTED)["pair"][:2].tolist() == [0, 1]


def test_table3_begins_with_the_pairs_that_the_paper_shows(files, tmp_path):
    table = results.read_predictions(files).replace({"task": {"Scenes": "STS 2012"}})
    table = table.replace({"subtask": {"colour": "SMTeuroparl"}})
    pairs = pd.read_csv(tmp_path / "ratings.csv").replace({"task": {"Scenes": "STS 2012"}})
    pairs = pairs.replace({"subtask": {"colour": "SMTeuroparl"}})
    ours = ["We often pontificate here.", "We are proud often here to represent the citizens ."]
    pairs.loc[1, ["sentence_a", "sentence_b"]] = ours
    given = {"predictions": table, "ratings": pairs, "selected": SELECTED, "select": "recall"}
    table3.make(SimpleNamespace(**given), tmp_path / "table3")
    chosen = pd.read_csv(tmp_path / "table3.csv")
    assert chosen["agreement"].tolist()[:3] == ["example", "highest", "lowest"]
    assert chosen.iloc[0][["pair", "sentence_a", "sentence_b"]].tolist() == [1, *ours]
    shown = rows((tmp_path / "table3.md").read_text("utf-8"))["gru-8-max Flickr8k"]
    assert shown[1][:3] == ["STS 2012 SMTeuroparl", "example", "1.00"]


@pytest.mark.mirror
def test_the_pairs_that_the_paper_shows_are_in_the_data(mirror, tmp_path):
    for name in ("STS", "SICK"):
        unpack(mirror / "sts" / f"{name}.zip", tmp_path / name)
    pairs, _ = ratings.read_sts([tmp_path / "STS", tmp_path / "SICK"], "none")
    found = pairs.loc[table3.examples(pairs)]
    assert found["subtask"].tolist() == [subtask for _, subtask, *_ in table3.EXAMPLES]
    assert found["rating"].tolist() == [3.5, 4.0, 0.4, 4.0]  # as the paper prints them


def supplement(tmp_path, retrieval, *tables):
    """Write the supplement; returns the texts of its three tables."""
    options = ["--reported", REPORTED / "table_s1.csv", "--output", tmp_path / "table_s1"]
    run(*of_scores(tmp_path, *tables), *retrieval, *options)
    names = ("table_s1", "table_s1-spearman", "table_s1-models")
    return [(tmp_path / f"{name}.md").read_text("utf-8") for name in names]


def test_the_supplement_shows_measured_and_reported_numbers(tmp_path, retrieval):
    tables = [trained(make=sts_rows), baseline(make=sts_rows)]
    pearson, spearman, _ = supplement(tmp_path, retrieval, *tables)
    shown = rows(pearson)
    heading, *subtasks = shown["Each subtask"]
    assert " | ".join(heading) == (
        "task | subtask | measure | pairs | seen (Flickr8k) | BOW (reported) | "
        "InferSent (reported) | char-GRU Flickr8k (reported) | char-GRU MSCOCO (reported) | "
        "gru-8-max Flickr8k | gru-8-max Flickr8k, epoch 4 | untrained gru-8-max | trigrams | "
        "gru-8-max Flickr8k, unseen pairs | untrained gru-8-max, unseen pairs"
    )
    assert [row[:5] for row in subtasks] == [
        ["STS 2012", "MSRpar", "cosine", "750", "24"],
        ["STS 2016", "HDL", "cosine", "249", "24"],
        ["STS-B", "STS 12-16", "classifier", "1,379", "24"],
        ["SICK", "Relatedness", "classifier", "4,927", "24"],
    ]
    assert [cell.replace(MINUS, "-") for cell in subtasks[0][7:]] == [
        "49.1 +5.2 -5.6",  # as printed
        "37.6 +6.0 -6.3",  # as printed
        "40.0 +4.0 -2.0",
        "30.0 +4.0 -2.0",
        "10.0 +4.0 -2.0",
        "30.0 +4.0 -2.0",
        "20.0 +2.0 -1.0",
        "5.0 +2.0 -1.0",
    ]
    means = shown["Means of subtasks, and their pairs concatenated"][1:]
    both = [row for row in means if row[:3] == ["all", "all", "weighted mean"]]
    # 42.3 over 750 pairs and 61.4 over 249: 47.06, halves sqrt((w 5.7)^2 + (w' 7.2)^2)
    assert both[0][5] == f"47.1 +4.6 {MINUS}5.0"
    assert both[0][-1] == f"5.0 +2.0 {MINUS}1.0"

    shown = rows(spearman)
    assert "reported" not in " ".join(shown["Each subtask"][0])
    assert shown["Each subtask"][1][4:6] == ["24", f"39.0 +4.0 {MINUS}2.0"]
    assert shown["Each subtask"][1][-2] == f"19.5 +2.0 {MINUS}1.0"
    raw = pd.read_csv(tmp_path / "table_s1.csv")
    ours = raw[raw["name"] == "gru-8-max Flickr8k"]
    assert ours["commit"].eq("the commit").all() and len(ours) == 7
    theirs = raw[raw["source"] == "reported"]
    assert theirs["commit"].isna().all()
    assert len(theirs) == 4 * (4 + 2 * 3)  # subtasks; two means of two tasks and all


def test_the_supplement_shows_the_model_that_the_ratings_select(tmp_path, retrieval):
    """The model with the worst R@10 has the best semantic score."""
    names = [f"flickr8k/{model}/seed{seed}" for model, seed, _ in TRAININGS]
    tables = [trained(name, r) for name, r in zip(names, (0.4, 0.3, 0.5), strict=True)]
    text, *_ = supplement(tmp_path, [*retrieval, "--select", "ratings"], *tables)
    assert rows(text)["Each subtask"][0][5] == "lstm-8-max Flickr8k"


def test_the_supplement_of_other_tasks_has_no_reported_numbers(tmp_path, retrieval):
    pearson, _, models = supplement(tmp_path, retrieval, trained(), baseline())
    assert "eported" not in pearson
    shown = rows(pearson)
    assert [row[2:6] for row in shown["Tasks with training pairs, by both methods"][1:]] == [
        ["cosine", "50", "24", f"50.0 +4.0 {MINUS}2.0"],
        ["classifier", "50", "24", f"70.0 +6.0 {MINUS}3.0"],
    ]
    shown = rows(models)
    assert shown["Flickr8k"][0] == ["model", "epochs", "Scenes", "Scenes-R", "semantic score"]
    assert [row[:3] for row in shown["Flickr8k"][1:]] == [
        ["gru-8-max, seed 1", "ensemble 4", f"45.0 +8.0 {MINUS}4.0"],
        ["gru-8-max, seed 1", "snapshot 0", f"15.0 +8.0 {MINUS}4.0"],
        ["gru-8-max, seed 1", "snapshot 4", f"35.0 +8.0 {MINUS}4.0"],
    ]
    assert shown["Baselines"][1][:2] == ["trigrams", ""]
