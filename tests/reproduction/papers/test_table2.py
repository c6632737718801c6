"""Table 2 and the table of snapshots of Merkx & Frank (2019)."""

import pandas as pd

from tests.support.refusals import refused
from tests.support.result_files import REPORTED, rows, run
from tests.support.retrieval_scores import results_of, training


def table2(folder, *trainings, options=(), **descriptions):
    """Write Table 2; returns its text, and its rows by test set."""
    arguments = results_of(folder, *trainings, **descriptions)
    reported = ["--reported", REPORTED / "table2.csv"]
    run(*arguments, *reported, *options, "--output", folder / "table2")
    text = (folder / "table2.md").read_text("utf-8")
    return text, {heading: body[1:] for heading, body in rows(text).items() if body}


def test_table2_shows_measured_and_reported_rows(tmp_path):
    text, groups = table2(
        tmp_path,
        training("flickr8k", "lstm-1024-attention", dev=(40, 60), test_sets=["1k"]),
        training("flickr8k", "gru-2048-attention", seed=2, dev=(41, 60), test_sets=["1k"]),
        training("flickr8k", "gru-2048-attention", seed=1, dev=(39, 60), test_sets=["1k"]),
    )
    [(heading, cells)] = groups.items()
    assert heading == "Flickr8k, test set 1k"
    assert [row[:2] for row in cells] == [
        ["computed", "chance"],
        ["reported", "Klein et al. (2015)"],
        ["reported", "Wehrmann et al. (2018)"],
        ["reported", "Dong et al. (2018)"],
        ["reported", "char-GRU"],
        ["measured", "gru-2048-attention, seed 1"],
        ["measured", "gru-2048-attention, seed 2†"],
        ["measured", "lstm-1024-attention, seed 1"],
    ]
    # As the paper prints them; a dash where it has one.
    assert cells[4][2:6] == ["27.5 ± 1.2", "58.2 ± 1.4", "70.5 ± 1.3", "4.0"]
    assert cells[4][6:] == ["38.5 ± 3.0", "68.9 ± 2.9", "79.3 ± 2.5", "2.0"]
    assert cells[3][2:7] == ["–"] * 4 + ["36.3 ± 3.0"]  # noqa: RUF001
    # The ensemble's scores on the test set: 41 + 10 and 60 + 10 at R@10.
    assert cells[6][2:6] == ["12.8 ± 3.0", "25.5 ± 3.0", "51.0 ± 3.0", "3.5"]
    assert cells[6][6:] == ["17.5 ± 4.0", "35.0 ± 4.0", "70.0 ± 4.0", "3.5"]
    assert cells[0][2:5] == ["0.5 ± 0.0", "1.0 ± 0.0", "2.0 ± 0.0"]
    assert "folds of" not in text

    table = pd.read_csv(tmp_path / "table2.csv")
    ours = table[table["source"] == "measured"].iloc[1]
    assert ours[["caption_to_image_r10", "caption_to_image_mean_rank"]].tolist() == [51, 7]
    assert ours[["commit", "epochs", "language"]].tolist() == ["the commit", "4+8", "en"]
    assert (ours["seed"], ours["selected"], ours["image_to_caption_queries"]) == (2, True, 500)


def test_table2_has_only_test_sets_that_were_measured(tmp_path):
    scenes = training("scenes", "gru-8-max")
    coco = training("mscoco", "gru-8-max", test_sets=["1k-folds", "700"])
    text, groups = table2(tmp_path, scenes, coco)
    assert {heading: {row[0] for row in cells} for heading, cells in groups.items()} == {
        "scenes, test set 100": {"computed", "measured"},
        "MSCOCO, test set 1k-folds": {"computed", "reported", "measured"},
        "MSCOCO, test set 700": {"computed", "measured"},
    }
    assert "folds of" in text
    text, _ = table2(tmp_path, scenes)
    assert "eported" not in text  # no note explains reported values


def test_a_table_names_its_missing_inputs(tmp_path):
    trainings = [training("scenes", "gru-8-max"), training("scenes", "lstm-8-max")]
    with refused("this table or figure needs --scores: pass it as well"):
        table2(tmp_path, *trainings, options=("--select", "ratings"))
    models, first, _, *scores = results_of(tmp_path, *trainings)
    with refused("found results for scenes/lstm-8-max/seed1"):
        run(models, first, *scores, "--output", tmp_path / "snapshots")


def test_several_languages_are_told_apart(tmp_path):
    english = training("scenes", "gru-8-max")
    german = english.assign(language="de", r10=english["r10"] / 2)
    _, groups = table2(tmp_path, pd.concat([english, german]))
    assert {heading: [row[4] for row in cells] for heading, cells in groups.items()} == {
        "scenes, test set 100, en": ["2.0 ± 0.0", "50.0 ± 3.0"],
        "scenes, test set 100, de": ["1.0 ± 0.0", "25.0 ± 3.0"],
    }


def test_snapshots_stand_below_their_ensemble(tmp_path):
    three = training("scenes", "gru-8-attention", dev=(40, 60), snapshots=(4, 8, 12))
    one = training("scenes", "gru-8-max", dev=(10, 20), snapshots=(4,))
    run(*results_of(tmp_path, three, one), "--output", tmp_path / "snapshots")
    groups = rows((tmp_path / "snapshots.md").read_text("utf-8"))
    # The development set's R@10 is the mean of both directions, +- sqrt(3^2 + 4^2) / 2.
    first = groups["scenes, test set 100: gru-8-attention, seed 1"][1:]
    assert [[row[0], row[1], row[4]] for row in first] == [
        ["chance", "2.5 ± 0.0", "2.0 ± 0.0"],
        ["ensemble 4+8+12", "50.0 ± 2.5", "50.0 ± 3.0"],
        ["snapshot 4", "54.0 ± 2.5", "54.0 ± 3.0"],
        ["snapshot 8", "58.0 ± 2.5", "58.0 ± 3.0"],
        ["snapshot 12", "62.0 ± 2.5", "62.0 ± 3.0"],
    ]
    second = groups["scenes, test set 100: gru-8-max, seed 1"][1:]
    assert [row[0] for row in second] == ["chance", "ensemble 4", "snapshot 4"]
    table = pd.read_csv(tmp_path / "snapshots.csv")
    assert table["dev_r10"].tolist() == [2.5, 50, 54, 58, 62, 2.5, 15, 19]
