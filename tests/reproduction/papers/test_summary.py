"""The first table of every experiment: each system's recall and ratings, over its seeds."""

import pandas as pd
import pytest

from reproduction.papers.summary.summary import PAPER, make, summary
from reproduction.reporting.results import Results
from tests.support.result_files import read_table, shown
from tests.support.tables import row_of

MODELS = read_table("""
    dataset  | model | seed | data_source | test_to_train
    flickr8k | gru   | 1    | flickr8k    | 0
    flickr8k | gru   | 2    | flickr8k    | 0
    flickr8k | bag   | 1    | flickr8k    | 0
""")
# Caption to image; image to caption has 10 more, and R@10 is twice R@1.
RECALLS = read_table("""
    model | seed | kind      | split | test_set  | r1
    bag   | 1    | ensemble  | test  | 1000      | 5
    gru   | 2    | ensemble  | test  | 1000      | 30
    gru   | 1    | ensemble  | test  | 1000      | 20
    gru   | 1    | querybank | test  | 1000      | 25
    gru   | 1    | snapshot  | test  | 1000      | 90
    gru   | 1    | ensemble  | dev   | 1000      | 90
    gru   | 1    | ensemble  | test  | 100-folds | 90
""").assign(dataset="flickr8k", language="en", commit="abc")
BACK = RECALLS.assign(direction="image_to_caption", r1=RECALLS["r1"] + 10)
RETRIEVAL = pd.concat([RECALLS.assign(direction="caption_to_image"), BACK])
RETRIEVAL["r10"] = 2 * RETRIEVAL["r1"]
MEASURES = read_table("""
    dataset  | model | seed | system             | kind     | measure        | pearson
    flickr8k | gru   | 1    | flickr8k/gru/seed1 | ensemble | STS 12-16      | 0.6
    flickr8k | gru   | 2    | flickr8k/gru/seed2 | ensemble | STS 12-16      | 0.7
    flickr8k | gru   | 2    | flickr8k/gru/seed2 | ensemble | semantic score | 0.9
    flickr8k | gru   | 2    | flickr8k/gru/seed2 | snapshot | STS 12-16      | 0.9
             |       |      | trigrams           | baseline | STS 12-16      | 0.5
""").fillna({"dataset": "", "model": ""})


def test_the_paper_s_network_comes_first_on_its_own_data():
    table = summary(MODELS, RETRIEVAL, None)
    # Table 2, and the mean of Table S1 that is weighted by pairs.
    assert row_of(table, system=PAPER, measure="R@10, images by captions")["value"] == 70.5
    assert row_of(table, system=PAPER, measure="SICK-R")["value"] == pytest.approx(81.5)
    other = MODELS.assign(data_source="scenes")
    assert PAPER not in set(summary(other, RETRIEVAL, None)["system"])
    draw = MODELS.assign(test_to_train=0.125)
    assert PAPER not in set(summary(draw, RETRIEVAL, None)["system"])


RECALL_AT_1 = """\
# Flickr8k
Merkx & Frank (2019), reported | - | 27.5 | 38.5 | 66.8
gru | 2 | 25.0 (20.0-30.0) | 35.0 (30.0-40.0) | 65.0 (60.0-70.0)
gru, with a bank | 1 | 25.0 | 35.0 | -
bag | 1 | 5.0 | 15.0 | -
# Baselines
trigrams | - | - | - | 50.0
"""
RECALL_AT_10 = """\
# Flickr8k
Merkx & Frank (2019), reported | 70.5 | 79.3 | 72.2 | 81.5
gru | 50.0 (40.0-60.0) | 70.0 (60.0-80.0) | - | -
gru, with a bank | 50.0 | 70.0 | - | -
bag | 10.0 | 30.0 | - | -
# Baselines
trigrams | - | - | - | -
"""


def test_ensembles_on_the_whole_test_set_are_averaged_over_seeds_with_their_range(tmp_path):
    results = Results()
    results.__dict__ |= {"models": MODELS, "all_retrieval": RETRIEVAL, "measures": MEASURES}
    make(results, tmp_path / "summary")
    assert shown(tmp_path / "summary.md", 0, 1, 2, 3, 6) == RECALL_AT_1
    assert shown(tmp_path / "summary.md", 0, 4, 5, 7, 8) == RECALL_AT_10
    table = pd.read_csv(tmp_path / "summary.csv")
    found = row_of(table, system="gru", measure="R@10, captions by images")
    assert (found["value"], found["seeds"], found["commit"]) == (70, 2, "abc")
    text = (tmp_path / "summary.md").read_text("utf-8")
    assert text.count("The papers rank by plain cosines") == 1
