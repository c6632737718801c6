"""Table 2 and the table of snapshots of Merkx & Frank (2019)."""

import pandas as pd

from tests.support.refusals import refused
from tests.support.result_files import REPORTED, assert_rows, run, shown
from tests.support.retrieval_scores import results_of, training


def table2(folder, *trainings, options=()):
    """Write Table 2."""
    reported = ["--reported", REPORTED / "table2.csv"]
    run(*results_of(folder, *trainings), *reported, *options, "--output", folder / "table2")
    return folder / "table2.md"


# Reported numbers are as the paper prints them. Measured ones are of ensembles on the test set: for
# seed 2, R@10 is 41 + 10 and 60 + 10.
BY_CAPTION = """\
# Flickr8k, test set 1k
computed | chance | 0.5 ± 0.0 | 1.0 ± 0.0 | 2.0 ± 0.0 | 3.5
reported | Klein et al. (2015) | 21.2 ± 1.1 | 50.0 ± 1.4 | 64.8 ± 1.3 | 5.0
reported | Wehrmann et al. (2018) | 26.9 ± 1.2 | - | 69.6 ± 1.3 | 4.0
reported | Dong et al. (2018) | - | - | - | -
reported | char-GRU | 27.5 ± 1.2 | 58.2 ± 1.4 | 70.5 ± 1.3 | 4.0
measured | gru-2048-attention, seed 1 | 12.2 ± 3.0 | 24.5 ± 3.0 | 49.0 ± 3.0 | 3.5
measured | gru-2048-attention, seed 2† | 12.8 ± 3.0 | 25.5 ± 3.0 | 51.0 ± 3.0 | 3.5
measured | lstm-1024-attention, seed 1 | 12.5 ± 3.0 | 25.0 ± 3.0 | 50.0 ± 3.0 | 3.5
"""
BY_IMAGE = """\
# Flickr8k, test set 1k
chance | 0.8 ± 0.0 | 1.5 ± 0.0 | 3.0 ± 0.0 | 3.5
Klein et al. (2015) | 31.0 ± 2.9 | 59.3 ± 3.0 | 73.7 ± 2.7 | 4.0
Wehrmann et al. (2018) | 32.4 ± 2.9 | - | 73.6 ± 2.7 | 3.0
Dong et al. (2018) | 36.3 ± 3.0 | 66.4 ± 2.9 | 78.2 ± 2.6 | -
char-GRU | 38.5 ± 3.0 | 68.9 ± 2.9 | 79.3 ± 2.5 | 2.0
gru-2048-attention, seed 1 | 17.5 ± 4.0 | 35.0 ± 4.0 | 70.0 ± 4.0 | 3.5
gru-2048-attention, seed 2† | 17.5 ± 4.0 | 35.0 ± 4.0 | 70.0 ± 4.0 | 3.5
lstm-1024-attention, seed 1 | 17.5 ± 4.0 | 35.0 ± 4.0 | 70.0 ± 4.0 | 3.5
"""
MEASURED = """
model               | seed | selected | caption_to_image_r10 | caption_to_image_mean_rank | epochs
gru-2048-attention  | 1    | False    | 49                   | 7                          | 4+8
gru-2048-attention  | 2    | True     | 51                   | 7                          | 4+8
lstm-1024-attention | 1    | False    | 50                   | 7                          | 4+8
"""


def test_table2_shows_measured_and_reported_rows(tmp_path):
    path = table2(
        tmp_path,
        training("flickr8k", "lstm-1024-attention", dev=(40, 60), test_sets=["1k"]),
        training("flickr8k", "gru-2048-attention", seed=2, dev=(41, 60), test_sets=["1k"]),
        training("flickr8k", "gru-2048-attention", seed=1, dev=(39, 60), test_sets=["1k"]),
    )
    assert shown(path, 0, 1, 2, 3, 4, 5) == BY_CAPTION
    assert shown(path, 1, 6, 7, 8, 9) == BY_IMAGE
    assert "folds of" not in path.read_text("utf-8")

    table = pd.read_csv(tmp_path / "table2.csv").query("source == 'measured'")
    assert_rows(table, MEASURED)
    assert table["commit"].eq("the commit").all() and table["language"].eq("en").all()
    assert table["image_to_caption_queries"].eq(500).all()


def test_table2_has_only_test_sets_that_were_measured(tmp_path):
    scenes = training("scenes", "gru-8-max")
    coco = training("mscoco", "gru-8-max", test_sets=["1k-folds", "700"])
    path = table2(tmp_path, scenes, coco)
    _, of_scenes, of_folds, of_others = shown(path, 0).split("# ")
    assert of_scenes == "scenes, test set 100\ncomputed\nmeasured\n"
    assert of_folds.startswith("MSCOCO, test set 1k-folds\ncomputed\nreported\n")
    assert of_others == "MSCOCO, test set 700\ncomputed\nmeasured\n"
    assert "folds of" in path.read_text("utf-8")
    text = table2(tmp_path, scenes).read_text("utf-8")
    assert "eported" not in text  # no note explains reported values


def test_a_table_names_its_missing_inputs(tmp_path):
    trainings = [training("scenes", "gru-8-max"), training("scenes", "lstm-8-max")]
    with refused("this table or figure needs --scores: pass it as well"):
        table2(tmp_path, *trainings, options=("--select", "ratings"))
    models, first, _, *scores = results_of(tmp_path, *trainings)
    with refused("found results for scenes/lstm-8-max/seed1"):
        run(models, first, *scores, "--output", tmp_path / "snapshots")


LANGUAGES = """\
# scenes, test set 100, en
2.0 ± 0.0
50.0 ± 3.0
# scenes, test set 100, de
1.0 ± 0.0
25.0 ± 3.0
"""


def test_several_languages_are_told_apart(tmp_path):
    english = training("scenes", "gru-8-max")
    german = english.assign(language="de", r10=english["r10"] / 2)
    assert shown(table2(tmp_path, pd.concat([english, german])), 4) == LANGUAGES


# R@10 on the development set is the mean of both directions, with sqrt(3^2 + 4^2) / 2.
SNAPSHOTS = """\
# scenes, test set 100: gru-8-attention, seed 1
chance | 2.5 ± 0.0 | 2.0 ± 0.0
ensemble 4+8+12 | 50.0 ± 2.5 | 50.0 ± 3.0
snapshot 4 | 54.0 ± 2.5 | 54.0 ± 3.0
snapshot 8 | 58.0 ± 2.5 | 58.0 ± 3.0
snapshot 12 | 62.0 ± 2.5 | 62.0 ± 3.0
# scenes, test set 100: gru-8-max, seed 1
chance | 2.5 ± 0.0 | 2.0 ± 0.0
ensemble 4 | 15.0 ± 2.5 | 20.0 ± 3.0
snapshot 4 | 19.0 ± 2.5 | 24.0 ± 3.0
"""


def test_snapshots_stand_below_their_ensemble(tmp_path):
    three = training("scenes", "gru-8-attention", dev=(40, 60), snapshots=(4, 8, 12))
    one = training("scenes", "gru-8-max", dev=(10, 20), snapshots=(4,))
    run(*results_of(tmp_path, three, one), "--output", tmp_path / "snapshots")
    assert shown(tmp_path / "snapshots.md", 0, 1, 4) == SNAPSHOTS
    table = pd.read_csv(tmp_path / "snapshots.csv")
    assert table["dev_r10"].tolist() == [2.5, 50, 54, 58, 62, 2.5, 15, 19]
