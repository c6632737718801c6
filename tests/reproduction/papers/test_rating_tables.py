"""Tables of ratings: Tables 1 and 3, and the supplement of Merkx & Frank (2019)."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from groundvec.data import ratings
from groundvec.data.archives import unpack
from reproduction.papers.merkx_frank_2019 import table3
from reproduction.reporting import results
from tests.support.refusals import refused
from tests.support.result_files import (
    REPORTED,
    SELECTED,
    STS,
    SYSTEM,
    TASKS,
    TRAININGS,
    baseline,
    overlapping,
    rows,
    run,
    shown,
    trained,
    write,
)

TABLE1 = r"""# Test pairs only
STS 2012 | MSRpar | newswire | - | - | 750 | 0
 | MSRvid | videos | - | - | 750 | 0
STS 2013 | HDL | A\|B | - | - | 1,250 | 5
Total |  |  | - | - | 2,750 | 5
# With training pairs
SICK | Relatedness | pictures | 4,500 | 500 | 4,927 | 0
"""


def test_table1_counts_pairs(tmp_path):
    (tmp_path / "tasks.csv").write_text(TASKS)
    run("--tasks", tmp_path / "tasks.csv", "--output", tmp_path / "table1")
    assert shown(tmp_path / "table1.md") == TABLE1
    assert len(pd.read_csv(tmp_path / "table1.csv")) == 4


# Scores 0, 1, 5 (mean 2) and cosines 0.5, 0.1, 0.6 (mean 0.4): products -0.2, 0.3, 0.6.
# Scores 2, 3, 4 and ratings 3.5, 3.1, 3.0 (mean 3.2): products -0.3, 0, -0.2.
TABLE3 = r"""# gru-8-max Flickr8k
Scenes colour | highest | 5.00 | 0.60 | a 2 \*costs\* \$5 & 3% \<b> | b 2
 | lowest | 0.00 | 0.50 | a 0 \*costs\* \$5 & 3% \<b> | b 0
Scenes-R Relatedness | highest | 3.00 | 3.10 | a 5 \*costs\* \$5 & 3% \<b> | b 5
 | lowest | 2.00 | 3.50 | a 4 \*costs\* \$5 & 3% \<b> | b 4
"""


def test_table3_shows_what_adds_most_and_least_to_the_correlation(files, retrieval, tmp_path):
    arguments = ["--predictions", *files, *retrieval, "--ratings", tmp_path / "ratings.csv"]
    arguments += ["--output", tmp_path / "table3"]
    run(*arguments)
    assert shown(tmp_path / "table3.md") == TABLE3
    # The mean of the products is r; these deviations by hand: sqrt(14/3), sqrt(0.14/3).
    table = pd.read_csv(tmp_path / "table3.csv")
    np.testing.assert_allclose(table["contribution"][0], 0.6 / np.sqrt(14 / 3 * 0.14 / 3))

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


def of_scores(folder, *tables):
    """Return the options for scores, and for trained models' scores without seen pairs."""
    models = [overlapping(table) for table in tables if table["kind"].ne("baseline").all()]
    overlap = write(folder, *models, name="overlap")
    return ["--scores", *write(folder, *tables), "--overlap", *overlap]


def supplement(tmp_path, retrieval, *tables):
    """Write the supplement; returns its table of Pearson correlations."""
    options = ["--reported", REPORTED / "table_s1.csv", "--output", tmp_path / "table_s1"]
    run(*of_scores(tmp_path, *tables), *retrieval, *options)
    return tmp_path / "table_s1.md"


# As the paper prints them, but for the means. The mean of all weights 42.3 by 750 pairs and 61.4 by
# 249: 47.06, with halves of sqrt((w 5.7)^2 + (w' 7.2)^2).
FROM_THE_PAPER = """\
# Each subtask
STS 2012 | cosine | 42.3 +5.7 -6.1 | 40.0 +5.8 -6.2 | 49.1 +5.2 -5.6 | 37.6 +6.0 -6.3
STS 2016 | cosine | 61.4 +7.2 -8.4 | 68.8 +6.0 -7.2 | 70.0 +5.8 -6.9 | 65.4 +6.6 -7.7
STS-B | classifier | 64.7 +3.0 -3.2 | 75.7 +2.2 -2.3 | 72.2 +2.4 -2.6 | 70.7 +2.5 -2.7
SICK | classifier | 79.9 +1.0 -1.0 | 86.2 +0.7 -0.7 | 81.5 +0.9 -1.0 | 82.7 +0.9 -0.9
# Means of subtasks, and their pairs concatenated
STS 2012 | weighted mean | 42.3 +5.7 -6.1 | 40.0 +5.8 -6.2 | 49.1 +5.2 -5.6 | 37.6 +6.0 -6.3
STS 2016 | weighted mean | 61.4 +7.2 -8.4 | 68.8 +6.0 -7.2 | 70.0 +5.8 -6.9 | 65.4 +6.6 -7.7
all | weighted mean | 47.1 +4.6 -5.0 | 47.2 +4.6 -5.0 | 54.3 +4.2 -4.5 | 44.5 +4.8 -5.1
# Tasks with training pairs, by both methods
STS-B | classifier | 64.7 +3.0 -3.2 | 75.7 +2.2 -2.3 | 72.2 +2.4 -2.6 | 70.7 +2.5 -2.7
SICK | cosine | - | - | - | -
SICK | classifier | 79.9 +1.0 -1.0 | 86.2 +0.7 -0.7 | 81.5 +0.9 -1.0 | 82.7 +0.9 -0.9
"""
# The ensemble, its first snapshot, the untrained network, and trigrams.
MEASURED = """\
# Each subtask
STS 2012 | 40.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 10.0 +4.0 -2.0 | 30.0 +4.0 -2.0
STS 2016 | 40.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 10.0 +4.0 -2.0 | 30.0 +4.0 -2.0
STS-B | 70.0 +4.0 -2.0 | 60.0 +4.0 -2.0 | 40.0 +4.0 -2.0 | 60.0 +4.0 -2.0
SICK | 60.0 +4.0 -2.0 | 50.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 50.0 +4.0 -2.0
# Means of subtasks, and their pairs concatenated
STS 2012 | 40.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 10.0 +4.0 -2.0 | 30.0 +4.0 -2.0
STS 2016 | 40.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 10.0 +4.0 -2.0 | 30.0 +4.0 -2.0
all | 40.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 10.0 +4.0 -2.0 | 30.0 +4.0 -2.0
# Tasks with training pairs, by both methods
STS-B | 70.0 +4.0 -2.0 | 60.0 +4.0 -2.0 | 40.0 +4.0 -2.0 | 60.0 +4.0 -2.0
SICK | 40.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 10.0 +4.0 -2.0 | 30.0 +4.0 -2.0
SICK | 60.0 +4.0 -2.0 | 50.0 +4.0 -2.0 | 30.0 +4.0 -2.0 | 50.0 +4.0 -2.0
"""
WITHOUT_SEEN_PAIRS = """\
# Each subtask
MSRpar | cosine | 750 | 24 | 20.0 +2.0 -1.0 | 5.0 +2.0 -1.0
HDL | cosine | 249 | 24 | 20.0 +2.0 -1.0 | 5.0 +2.0 -1.0
STS 12-16 | classifier | 1,379 | 24 | 35.0 +2.0 -1.0 | 20.0 +2.0 -1.0
Relatedness | classifier | 4,927 | 24 | 30.0 +2.0 -1.0 | 15.0 +2.0 -1.0
# Means of subtasks, and their pairs concatenated
all | weighted mean | 999 | 24 | 20.0 +2.0 -1.0 | 5.0 +2.0 -1.0
all | weighted mean | 999 | 24 | 20.0 +2.0 -1.0 | 5.0 +2.0 -1.0
all | weighted mean | 999 | 24 | 20.0 +2.0 -1.0 | 5.0 +2.0 -1.0
# Tasks with training pairs, by both methods
STS 12-16 | classifier | 1,379 | 24 | 35.0 +2.0 -1.0 | 20.0 +2.0 -1.0
Relatedness | cosine | 4,927 | 24 | 20.0 +2.0 -1.0 | 5.0 +2.0 -1.0
Relatedness | classifier | 4,927 | 24 | 30.0 +2.0 -1.0 | 15.0 +2.0 -1.0
"""
SPEARMAN = """\
# Each subtask
MSRpar | 24 | 39.0 +4.0 -2.0 | 19.5 +2.0 -1.0
HDL | 24 | 39.0 +4.0 -2.0 | 19.5 +2.0 -1.0
STS 12-16 | 24 | 69.0 +4.0 -2.0 | 34.5 +2.0 -1.0
Relatedness | 24 | 59.0 +4.0 -2.0 | 29.5 +2.0 -1.0
# Means of subtasks, and their pairs concatenated
all | 24 | 39.0 +4.0 -2.0 | 19.5 +2.0 -1.0
all | 24 | 39.0 +4.0 -2.0 | 19.5 +2.0 -1.0
all | 24 | 39.0 +4.0 -2.0 | 19.5 +2.0 -1.0
# Tasks with training pairs, by both methods
STS 12-16 | 24 | 69.0 +4.0 -2.0 | 34.5 +2.0 -1.0
Relatedness | 24 | 39.0 +4.0 -2.0 | 19.5 +2.0 -1.0
Relatedness | 24 | 59.0 +4.0 -2.0 | 29.5 +2.0 -1.0
"""


def test_the_supplement_shows_measured_and_reported_numbers(tmp_path, retrieval):
    path = supplement(tmp_path, retrieval, trained(form=STS), baseline(form=STS))
    heading = rows(path.read_text("utf-8"))["Each subtask"][0]
    assert " | ".join(heading) == (
        "task | subtask | measure | pairs | seen (Flickr8k) | BOW (reported) | "
        "InferSent (reported) | char-GRU Flickr8k (reported) | char-GRU MSCOCO (reported) | "
        "gru-8-max Flickr8k | gru-8-max Flickr8k, epoch 4 | untrained gru-8-max | trigrams | "
        "gru-8-max Flickr8k, unseen pairs | untrained gru-8-max, unseen pairs"
    )
    assert shown(path, 0, 2, 5, 6, 7, 8) == FROM_THE_PAPER
    assert shown(path, 0, 9, 10, 11, 12) == MEASURED
    assert shown(path, 1, 2, 3, 4, 13, 14) == WITHOUT_SEEN_PAIRS
    spearman = tmp_path / "table_s1-spearman.md"
    assert "reported" not in spearman.read_text("utf-8")
    assert shown(spearman, 1, 4, 5, 9) == SPEARMAN
    raw = pd.read_csv(tmp_path / "table_s1.csv")
    ours = raw[raw["name"] == "gru-8-max Flickr8k"]
    assert ours["commit"].eq("the commit").all() and len(ours) == 8
    theirs = raw[raw["source"] == "reported"]
    assert theirs["commit"].isna().all()
    assert len(theirs) == 4 * (4 + 2 * 3)  # subtasks; two means of two tasks and all


def test_the_supplement_shows_the_model_that_the_ratings_select(tmp_path, retrieval):
    """The model with the worst R@10 has the best semantic score."""
    names = [f"flickr8k/{model}/seed{seed}" for model, seed, _ in TRAININGS]
    tables = [trained(name, r) for name, r in zip(names, (0.4, 0.3, 0.5), strict=True)]
    path = supplement(tmp_path, [*retrieval, "--select", "ratings"], *tables)
    assert rows(path.read_text("utf-8"))["Each subtask"][0][5] == "lstm-8-max Flickr8k"


BOTH_METHODS = """\
# Tasks with training pairs, by both methods
cosine | 50 | 24 | 50.0 +4.0 -2.0
classifier | 50 | 24 | 70.0 +6.0 -3.0
"""
MODELS = """\
# Flickr8k
gru-8-max, seed 1 | ensemble 4 | 45.0 +8.0 -4.0 | 70.0 +6.0 -3.0 | 57.5 +5.0 -2.5
gru-8-max, seed 1 | snapshot 0 | 15.0 +8.0 -4.0 | 40.0 +6.0 -3.0 | 27.5 +5.0 -2.5
gru-8-max, seed 1 | snapshot 4 | 35.0 +8.0 -4.0 | 60.0 +6.0 -3.0 | 47.5 +5.0 -2.5
# Baselines
trigrams |  | 35.0 +8.0 -4.0 | 60.0 +6.0 -3.0 | 47.5 +5.0 -2.5
"""


def test_the_supplement_of_other_tasks_has_no_reported_numbers(tmp_path, retrieval):
    path = supplement(tmp_path, retrieval, trained(), baseline())
    assert "eported" not in path.read_text("utf-8")
    assert shown(path, 2, 3, 4, 5).endswith(BOTH_METHODS)
    path = tmp_path / "table_s1-models.md"
    heading = rows(path.read_text("utf-8"))["Flickr8k"][0]
    assert heading == ["model", "epochs", "Scenes", "Scenes-R", "semantic score"]
    assert shown(path) == MODELS
