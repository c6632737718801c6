"""The first table of every experiment: each system's recall and ratings, over its seeds."""

import pandas as pd
import pytest

from reproduction.papers.summary.summary import PAPER, make, summary
from reproduction.reporting.results import Results

MODELS = pd.DataFrame(
    {
        "dataset": ["flickr8k", "flickr8k", "flickr8k"],
        "model": ["gru", "gru", "bag"],
        "seed": [1, 2, 1],
        "data_source": "flickr8k",
        "test_to_train": 0.0,
    }
)


def recalls(model, seed, first, **more):
    rows = [("caption_to_image", first), ("image_to_caption", first + 10)]
    table = pd.DataFrame(rows, columns=["direction", "r1"]).assign(r10=lambda t: 2 * t["r1"])
    about = {"dataset": "flickr8k", "model": model, "seed": seed, "language": "en"}
    about |= {"kind": "ensemble", "split": "test", "test_set": "1000", "commit": "abc"}
    return table.assign(**about | more)


RETRIEVAL = pd.concat(
    [
        recalls("bag", 1, 5.0),
        recalls("gru", 2, 30.0),
        recalls("gru", 1, 20.0),
        recalls("gru", 1, 25.0, kind="querybank"),
        recalls("gru", 1, 90.0, kind="snapshot"),
        recalls("gru", 1, 90.0, split="dev"),
        recalls("gru", 1, 90.0, test_set="100-folds"),
    ]
)
MEASURES = pd.DataFrame(
    [
        ("flickr8k", "gru", 1, "flickr8k/gru/seed1", "ensemble", "STS 12-16", 0.6),
        ("flickr8k", "gru", 2, "flickr8k/gru/seed2", "ensemble", "STS 12-16", 0.7),
        ("flickr8k", "gru", 2, "flickr8k/gru/seed2", "ensemble", "semantic score", 0.9),
        ("flickr8k", "gru", 2, "flickr8k/gru/seed2", "snapshot", "STS 12-16", 0.9),
        ("", "", None, "trigrams", "baseline", "STS 12-16", 0.5),
    ],
    columns=["dataset", "model", "seed", "system", "kind", "measure", "pearson"],
)


def row(table, system, measure):
    [found] = table[table["system"].eq(system) & table["measure"].eq(measure)].to_dict("records")
    return found


def test_ensembles_on_the_whole_test_set_are_averaged_over_seeds():
    table = summary(MODELS, RETRIEVAL, MEASURES)
    found = row(table, "gru", "R@10, captions by images")
    assert (found["value"], found["lowest"], found["highest"]) == (70, 60, 80)
    assert found["seeds"] == 2 and found["commit"] == "abc"
    assert row(table, "gru", "STS 12-16")["value"] == pytest.approx(65)
    assert row(table, "trigrams", "STS 12-16")["dataset"] == ""
    systems = [PAPER, "gru", "gru, with a bank", "bag", "trigrams"]
    assert list(table["system"].drop_duplicates()) == systems
    assert row(table, "gru, with a bank", "R@10, captions by images")["value"] == 70
    assert row(table, "gru, with a bank", "R@1, images by captions")["seeds"] == 1
    assert "semantic score" not in set(table["measure"])


def test_the_paper_s_network_comes_first_on_its_own_data():
    table = summary(MODELS, RETRIEVAL, None)
    # Table 2, and the mean of Table S1 that is weighted by pairs.
    assert row(table, PAPER, "R@10, images by captions")["value"] == 70.5
    assert row(table, PAPER, "SICK-R")["value"] == pytest.approx(81.5)
    other = MODELS.assign(data_source="scenes")
    assert PAPER not in set(summary(other, RETRIEVAL, None)["system"])
    draw = MODELS.assign(test_to_train=0.125)
    assert PAPER not in set(summary(draw, RETRIEVAL, None)["system"])


def test_several_seeds_have_a_range_in_the_table(tmp_path):
    results = Results()
    results.__dict__ |= {"models": MODELS, "all_retrieval": RETRIEVAL, "measures": MEASURES}
    make(results, tmp_path / "summary")
    lines = (tmp_path / "summary.md").read_text("utf-8").splitlines()
    [gru] = [line for line in lines if line.startswith("| gru ")]
    [bag] = [line for line in lines if line.startswith("| bag ")]
    assert "| 2 | 25.0 (20.0–30.0) |" in gru and "65.0 (60.0–70.0)" in gru  # noqa: RUF001
    assert "| 1 | 5.0 |" in bag and bag.rstrip(" |").endswith("–")  # noqa: RUF001
    assert "### Baselines" in lines
    assert sum("The papers rank by plain cosines" in line for line in lines) == 1
