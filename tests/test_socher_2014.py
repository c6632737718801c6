"""The tables and figures of Socher et al. (2014), made of small result files."""

import importlib
import json
import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from PIL import Image
from result_files import described, write_models
from scipy import stats
from test_rating_tables import baseline, of_system, sts_rows, write
from test_workflow import copy_project, snakemake

from groundvec.config import complete
from groundvec.errors import InputError
from groundvec.files import write_json
from groundvec.papers.socher_2014 import (
    active_passive,
    claims,
    figure3,
    relations,
    section_6_6,
    section_6_7,
)
from groundvec.reporting import labels, ranks, results, style
from groundvec.reporting.bootstrap import WAY
from groundvec.reporting.claims import over_seeds
from groundvec.text import treebank
from groundvec.text.forms import collapsed

ROOT = Path(__file__).parent.parent
REPORTED = ROOT / "groundvec" / "papers" / "socher_2014" / "reported"
C2C, C2I, I2C = ranks.TASKS
MARGIN = {"objective": {"name": "hinge", "margin": 3, "reduction": "sum"}, "similarity": "dot"}
HINGE = {"objective": {"name": "hinge", "margin": 0.2, "reduction": "mean"}, "similarity": "cosine"}
SQUARED = {"objective": {"name": "squared_error"}, "similarity": "euclidean"}
CCA = {"objective": {"name": "cca"}, "similarity": "dot"}


def trees(form="collapsed", compose="relation", **objective):
    """The description of a recursive network over trees."""
    return {
        "languages": ["en"],
        "text": {"name": "trees", "form": form, "parser": "en_core_web_sm", "vectors": "captions"},
        "encoder": {"name": "trees", "compose": compose, "size": 50},
        **(objective or MARGIN),
    }


def bag(**objective):
    return {**trees(**objective), "encoder": {"name": "mean", "size": 50}}


SYSTEMS = {
    "a": (bag(), "BoW"),
    "b": (trees("binary", "position"), "CT-RNN"),
    "c": (trees("chain", "position"), "Recurrent NN"),
    "d": (trees("basic", "position"), "DT-RNN"),
    "e": (trees(), "SDT-RNN"),
    "f": (bag(**CCA), "kCCA (linear)"),
    "g": (trees(**HINGE), "SDT-RNN"),
    "h": (trees(**SQUARED), "SDT-RNN"),
    "gru-8-max": (described("gru-8-max"), "char-GRU"),
}


def score(model, seed, kind, epochs, split, direction, rank, queries, dataset="draws"):
    rank = max(rank, 1)
    return {
        **{"dataset": dataset, "model": model, "seed": seed, "kind": kind, "epochs": epochs},
        **{"language": "en", "split": split, "test_set": "100", "direction": direction},
        **{"r1": 50 / rank, "r1_ci": 1, "r5": 70 / rank, "r5_ci": 2, "r10": 90 / rank, "r10_ci": 3},
        **{"mean_rank": rank, "mean_rank_low": rank - 1, "mean_rank_high": rank + 2},
        **{"median_rank": 3, "queries": queries, "slurm_job": "", "configuration": f"c{model}"},
        **{"machine": "a computer", "commit": "0123abc", "versions": "python 3.11"},
    }


QUERIES = {C2C: 500, C2I: 500, I2C: 100}


def training(model, rank, seed=1, best="8", **more):
    """Scores of one training: the mean ranks of its best snapshot on the test set are `rank`.

    That of image to caption is twice, that of sentences half of it. The others are worse on the
    development set, and better on the test set.
    """
    rows = []
    for split, (direction, queries) in product(("dev", "test"), QUERIES.items()):
        factor = {C2C: 0.5, C2I: 1, I2C: 2}[direction]

        def add(*which, rank, split=split, direction=direction, queries=queries, factor=factor):
            where = (split, direction, rank * factor, queries)
            rows.append(score(model, seed, *which, *where, **more))

        add("chance", "", rank=52)
        add("random", "", rank=50 + seed)
        for epochs in ("4", "8"):
            other = 40 if split == "dev" else rank / 2
            add("snapshot", epochs, rank=rank if epochs == best else other)
        add("ensemble", "4+8", rank=1.5)
    return pd.DataFrame(rows)


def results_of(folder, *trainings, **descriptions):
    """The options of scripts/report.py for the results of some trainings."""
    descriptions = {name: parts for name, (parts, _) in SYSTEMS.items()} | descriptions
    descriptions = {name.replace("-", "_"): parts for name, parts in descriptions.items()}
    names, paths = [], []
    for number, table in enumerate(trainings):
        dataset, model, seed = table[["dataset", "model", "seed"]].iloc[0]
        names.append((dataset, model, int(seed)))
        paths.append(folder / f"retrieval-{number}.csv")
        table.to_csv(paths[-1], index=False)
    files = write_models(folder, *names, **descriptions)
    for table, model in zip(trainings, files, strict=True):
        dev = table[table["split"].eq("dev") & table["kind"].eq("snapshot")]
        best = int(dev.loc[dev["r10"].idxmax(), "epochs"])
        write_json(model.with_name("ensemble.json"), {"epochs": [best], "best": best})
    return ["--models", *files, "--retrieval", *paths]


def query_ranks(folder, *trainings, spread=3):
    """The option for the ranks of four images' queries, whose means are those of `training`."""
    table = pd.concat(trainings)
    table = table[table["split"].eq("test") & table["kind"].eq("snapshot")]
    labels = ["dataset", "model", "seed", "language", "kind", "epochs", "direction"]
    images = pd.DataFrame({"image": range(4), "more": [-spread, -spread / 3, spread / 3, spread]})
    ranks = table.merge(images, how="cross")
    ranks = ranks[[*labels, "image"]].assign(rank=ranks["mean_rank"] + ranks["more"])
    ranks.to_csv(folder / "ranks.csv", index=False)
    return ["--query-ranks", folder / "ranks.csv"]


def claimed(folder, *trainings, **descriptions):
    """What `tables` gives of the claims."""
    arguments = results_of(folder, *trainings, **descriptions)
    return tables(folder, "claims", *arguments, *query_ranks(folder, *trainings))


def run(item, *arguments):
    script = importlib.import_module("scripts.report")
    words = [f"socher_2014/{item}", *map(str, arguments)]
    script.main(script.parser.parse_args(words))


def tables(folder, item, *arguments, reported="tables"):
    """The parts of a table's Markdown, each with its rows, and its CSV."""
    beside = ["--reported", REPORTED / f"{reported}.csv"] if reported else []
    run(item, *arguments, *beside, "--output", folder / item)
    parts = {}
    for part in (folder / f"{item}.md").read_text("utf-8").split("### ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        parts[part.splitlines()[0]] = [
            [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]
        ]
    return parts, pd.read_csv(folder / f"{item}.csv")


# Names


@pytest.mark.parametrize(("parts", "name"), SYSTEMS.values())
def test_a_system_is_called_by_its_description(parts, name):
    assert labels.named("whatever", parts) == name


@pytest.mark.parametrize(
    ("encoder", "name"),
    [
        ({"name": "convolution", "size": 8}, "mine"),
        ({"name": "trees", "compose": "something", "size": 8}, "mine"),
        ({"name": "rnn", "cell": "lstm", "size": 8, "pooling": "max"}, "LSTM (trees)"),
    ],
)
def test_an_unknown_system_is_called_as_its_model(encoder, name):
    assert labels.named("mine", trees() | {"encoder": encoder}) == name


def test_objectives_are_told_apart(tmp_path):
    arguments = results_of(tmp_path, *(training(name, 10) for name in "aefgh"))
    models = labels.labelled(results.read_models(arguments[1:6])).set_index("model")
    assert models["objective"].to_dict() == {
        "a": "max margin, inner product",
        "e": "max margin, inner product",
        "f": "CCA, inner product",
        "g": "mean hinge, cosine",
        "h": "squared error, Euclidean distance",
    }


def test_a_ct_rnn_without_constituency_trees_is_called_so(tmp_path):
    own = trees("binary", "position")
    parsed = own | {"text": own["text"] | {"parses": "parses.txt"}}
    for parts, name in ((own, "CT-RNN (binarised)"), (parsed, "CT-RNN")):
        arguments = results_of(tmp_path, training("b", 10), training("a", 9), b=parts)
        (rows,) = tables(tmp_path, "table1", *arguments)[0].values()
        assert rows[-1][:2] == ["measured", name]
        text = (tmp_path / "table1.md").read_text("utf-8")
        assert ("head-outward binarisation" in text) == (parts is own)


def test_trees_of_another_form_than_the_papers_are_called_so(tmp_path):
    arguments = results_of(
        tmp_path,
        *(training("d", 10), training("e", 9), training("x", 8), training("a", 7)),
        x=trees("collapsed", "position"),
    )
    models = labels.labelled(results.read_models(arguments[1:5])).set_index("model")
    assert models["name"].to_dict() == {
        **{"a": "BoW", "d": "DT-RNN", "e": "SDT-RNN", "x": "DT-RNN (collapsed)"}
    }
    assert models.loc["x", "system"] == "DT-RNN"
    assert labels.named("y", trees("basic", "relation")) == "SDT-RNN"


def test_two_models_of_one_system_have_their_names_too(tmp_path):
    larger = trees() | {"encoder": {"name": "trees", "compose": "relation", "size": 100}}
    arguments = results_of(
        tmp_path,
        *(training("e", 10), training("large", 9), training("g", 9), training("a", 9)),
        large=larger,
    )
    parts, _ = tables(tmp_path, "table1", *arguments)
    [rows] = parts.values()
    names = [row[1] for row in rows if row[0] == "measured"]
    assert names == ["BoW", "SDT-RNN (e)", "SDT-RNN (large)", "SDT-RNN"]


# Tables


def test_table1_has_measured_beside_reported_rows(tmp_path):
    arguments = results_of(
        tmp_path,
        *(training("e", rank, seed) for seed, rank in enumerate((10, 12, 17), 1)),
        *(training("a", 14), training("h", 20), training("g", 9), training("gru-8-max", 8)),
    )
    parts, table = tables(tmp_path, "table1", *arguments)
    [(heading, rows)] = parts.items()
    assert heading == "draws, test set 100"
    assert [row[:2] for row in rows] == [
        *(["reported", name] for name in ("Random", "BoW", "CT-RNN", "Recurrent NN", "kCCA")),
        *(["reported", "DT-RNN"], ["reported", "SDT-RNN"]),
        *(["computed", "Random (calculated)"], ["simulated", "Random (simulated)"]),
        *(["measured", "BoW"], ["measured", "SDT-RNN"]),
        *(["measured", "SDT-RNN"], ["measured", "char-GRU"]),
    ]
    assert rows[0][2:] == ["", "–", "101.1", "52.1", "92.1"]  # noqa: RUF001
    assert rows[6][2:] == ["max margin, inner product", "–", "10.5", "12.5", "16.9"]  # noqa: RUF001
    assert rows[7][4:] == ["26.0", "52.0", "104.0"]
    assert rows[8][4] == "25.5 [24.5, 27.5]"
    # Of one seed the interval of the file, of several the t interval.
    assert rows[9][3:] == ["1", "7.0 [6.0, 9.0]", "14.0 [13.0, 16.0]", "28.0 [27.0, 30.0]"]
    low, high = stats.t.interval(0.95, 2, 13, stats.sem([10, 12, 17]))
    assert rows[10][2:4] == ["max margin, inner product", "3"]
    assert rows[10][5] == f"13.0 [{low:.1f}, {high:.1f}]"
    assert [row[2] for row in rows[11:]] == ["mean hinge, cosine"] * 2

    ours = table[table["source"] == "measured"].iloc[1]
    assert ours[["model", "seeds", "epochs", "commit"]].tolist() == ["e", 3, 8, "0123abc"]
    assert ours[f"{C2I}_mean_rank_low"] == pytest.approx(low)
    assert ours[f"{I2C}_queries"] == 100
    assert table.loc[table["source"] == "reported", "paper"].eq("socher-et-al-2014").all()


def test_the_snapshot_is_the_best_one(tmp_path):
    """And neither the ensemble nor the best on the test set."""
    for best in ("4", "8"):
        table = training("a", 14, best=best)
        arguments = results_of(tmp_path, table)
        given = {"models": arguments[1:2], "retrieval": arguments[3:]}
        rows = ranks.of_trainings(results.Results(**given))
        rows = rows[rows["source"] == "measured"]
        assert rows["mean_rank"].tolist() == [7, 14, 28]
        assert (rows["epochs"] == best).all()


def test_a_training_without_scores_is_named(tmp_path):
    arguments = results_of(tmp_path, training("e", 10), training("h", 20))
    with pytest.raises(InputError, match=r"no test scores of the best snapshot of .*/h/1: give"):
        tables(tmp_path, "table1", *arguments[:-1])


def test_table2_has_what_table1_has_not(tmp_path):
    arguments = results_of(tmp_path, training("e", 10), training("h", 20))
    (rows,) = tables(tmp_path, "table2", *arguments)[0].values()
    assert [row[:2] for row in rows if row[0] != "reported"] == [
        ["computed", "Random (calculated)"],
        ["simulated", "Random (simulated)"],
        ["measured", "SDT-RNN"],
    ]
    theirs = {row[1]: row[2:] for row in rows if row[0] == "reported"}
    assert len(theirs) == 6
    assert theirs["DT-RNN"] == [labels.SQUARED, "–", "–", "13.3", "26.8"]  # noqa: RUF001
    (rows,) = tables(tmp_path, "table1", *arguments)[0].values()
    assert [row[2] for row in rows if row[0] == "measured"] == [labels.MARGIN]
    with pytest.raises(InputError, match="no system of this table was measured"):
        tables(tmp_path, "table2", *results_of(tmp_path, training("e", 10)))


def test_reported_ranks_stand_only_with_test_sets_of_their_size(tmp_path):
    large = training("e", 10, dataset="flickr8k").assign(test_set="1k")
    large["queries"] *= 10
    parts, _ = tables(tmp_path, "table1", *results_of(tmp_path, large))
    assert list(parts) == ["Pascal1K, test set 100", "Flickr8k, test set 1k"]
    first, second = parts.values()
    assert {row[0] for row in first} == {"reported"}
    assert {row[0] for row in second} == {"computed", "simulated", "measured"}


def test_table3_has_recall_and_the_three_systems_whose_recall_is_reported(tmp_path):
    arguments = results_of(tmp_path, training("e", 10), training("h", 20))
    (rows,) = tables(tmp_path, "table3", *arguments)[0].values()
    theirs = [row for row in rows if row[0] == "reported"]
    assert [row[1] for row in theirs] == ["BoW", "kCCA", "SDT-RNN"]
    assert theirs[2][4:] == ["12.5", "16.4", "46.6", "65.6", "16.9", "23.0", "45.0", "63.0"]
    ours = [row for row in rows if row[0] == "measured"]
    assert ours[0][4:8] == ["10.0 [9.0, 12.0]", "5.0 [4.0, 6.0]", "7.0 [5.0, 9.0]", *ours[0][7:8]]
    assert [row[2] for row in ours] == [labels.MARGIN, labels.SQUARED]


def test_an_image_with_one_sentence_leaves_a_dash(tmp_path):
    table = training("e", 10)
    arguments = results_of(tmp_path, table[table["direction"] != C2C])
    (rows,) = tables(tmp_path, "table1", *arguments)[0].values()
    assert rows[-1][4:] == ["–", "10.0 [9.0, 12.0]", "20.0 [19.0, 22.0]"]  # noqa: RUF001


def test_scores_without_intervals_are_named(tmp_path):
    table = training("e", 10).drop(columns=["mean_rank_low"])
    with pytest.raises(InputError, match="has no column mean_rank_low: make it again"):
        tables(tmp_path, "table1", *results_of(tmp_path, table))


def test_the_reported_numbers_are_the_paper_s():
    """Spot checks against Tables 1 to 3 as printed."""
    reported = results.read_reported_ranks(REPORTED / "tables.csv")
    rows = reported.set_index(["system", "objective"])
    assert rows.loc[("SDT-RNN", labels.MARGIN), f"{C2C}_mean_rank"] == 10.5
    assert rows.loc[("kCCA", "CCA, inner product"), f"{I2C}_r5"] == 47
    assert rows.loc[("kCCA", "CCA, Euclidean distance"), f"{I2C}_mean_rank"] == 38
    assert rows.loc[("BoW", labels.SQUARED), f"{C2I}_mean_rank"] == 24.7
    assert len(reported) == 13


# Ratings


def rated(model, seed=1, r=0.4):
    """Scores of a training: of its snapshots and of its ensemble."""
    kinds = {("snapshot", "0"): r - 0.3, ("snapshot", "4"): r - 0.1, ("snapshot", "8"): r}
    system = f"draws/{model}/seed{seed}"
    return of_system(system, kinds | {("ensemble", "4+8"): r + 0.05}, sts_rows)


def test_the_ratings_are_of_the_best_snapshot_and_of_the_untrained_network(tmp_path):
    arguments = results_of(
        tmp_path,
        *(training("a", 14), training("gru-8-max", 10, best="4")),
        *(training("e", 10, seed) for seed in (1, 2, 3)),
    )
    scores = [rated("a"), rated("gru-8-max"), baseline(make=sts_rows)]
    scores += [rated("e", seed, r) for seed, r in enumerate((0.3, 0.4, 0.5), 1)]
    arguments += ["--scores", *write(tmp_path, *scores)]
    parts, table = tables(tmp_path, "ratings", *arguments, reported=None)
    assert list(parts) == ["draws", "Baselines"]
    low, high = stats.t.interval(0.95, 2, 40, stats.sem([30, 40, 50]))
    bag, tree, gru = parts["draws"]
    # STS 12-16 trained and untrained, then STS-B and SICK-R by the classifier.
    assert bag == [
        *("BoW", "max margin, inner product", "1", "40.0 [38.0, 44.0]", "10.0 [8.0, 14.0]"),
        *("70.0 [68.0, 74.0]", "40.0 [38.0, 44.0]", "60.0 [58.0, 64.0]", "30.0 [28.0, 34.0]"),
    ]
    assert tree[:4] == ["SDT-RNN", labels.MARGIN, "3", f"40.0 [{low:.1f}, {high:.1f}]"]
    assert gru[:4] == ["char-GRU", labels.HINGE, "1", "30.0 [28.0, 34.0]"]
    [trigrams] = parts["Baselines"]
    assert trigrams[:3] == ["trigrams", "", "–"]  # noqa: RUF001
    assert trigrams[3::2] == ["30.0 [28.0, 34.0]", "60.0 [58.0, 64.0]", "50.0 [48.0, 54.0]"]
    assert trigrams[4::2] == ["–"] * 3  # noqa: RUF001
    row = table[(table["model"] == "e") & (table["measure"] == "STS-B")].iloc[0]
    assert row[["state", "seeds", "epochs", "commit"]].tolist() == ["trained", 3, 8, "the commit"]
    assert row["value"] == pytest.approx(70)


def test_a_model_that_is_not_rated_is_named(tmp_path):
    arguments = results_of(tmp_path, training("a", 14), training("e", 10))
    arguments += ["--scores", *write(tmp_path, rated("a"))]
    with pytest.raises(InputError, match="there are no semantic scores of draws/e/seed1"):
        tables(tmp_path, "ratings", *arguments, reported=None)


def test_nearness_of_the_passive_by_hand():
    active = np.array([[1, 0], [0, 2], [1, 0], [3, 0]], np.float32)
    passive = np.array([[1, 1], [0, 1], [0, 1], [4, 3]], np.float32)  # cosines √½, 1, 0, 0.8
    exchanged = np.array([[2, 0], [1, 0], [3, 4], [4, 3]], np.float32)  # 1, 0, 0.6, 0.8
    other = np.array([[2, 2], [0, 5], [0, 1], [3, 4]], np.float32)  # √½, 1, 0, 0.6
    table = active_passive.closeness(active, passive, exchanged, other).set_index("measure")
    values = {
        "its passive": [0.5**0.5, 1, 0, 0.8],
        "roles exchanged": [1, 0, 0.6, 0.8],
        "roles exchanged, passive": [0.5**0.5, 1, 0, 0.6],
        "than roles exchanged": [0, 1, 0, 0.5],
        "than roles exchanged, passive": [0.5, 0.5, 0.5, 1],
    }
    assert list(table.index) == list(values)
    for name, of_scenes in values.items():
        mean, half = 100 * np.mean(of_scenes), 98 * np.std(of_scenes)  # 1.96 s / √4
        expected = [mean, mean - half, mean + half]
        assert table.loc[name].tolist() == pytest.approx(expected, abs=1e-4)


# Claims


def verdicts(parts):
    return {
        (heading.rpartition(": ")[0], *row[:4]): row[4:]
        for heading, rows in parts.items()
        for row in rows
    }


def test_claims_hold_fail_or_are_not_decided(tmp_path):
    ranks_of = {
        "a": (14, 15, 16),  # BoW
        "c": (19, 18, 20),  # Recurrent NN
        "d": (14, 14, 18),  # DT-RNN
        "e": (12, 13.5, 13.5),  # SDT-RNN
        "g": (10, 11, 12),  # SDT-RNN by the mean hinge
        "b": (14, 15, 15.5),  # CT-RNN
        "f": (15, 16, 16.5),  # kCCA
        "h": (22, 23, 25),  # SDT-RNN by the squared error
        "gru-8-max": (8, 9, 10.5),
    }
    trainings = [
        training(model, rank, seed)
        for model, values in ranks_of.items()
        for seed, rank in enumerate(values, 1)
    ]
    parts, table = claimed(tmp_path, *trainings)
    found = verdicts(parts)
    margin = "max margin, inner product"

    def interval(a, b, factor=1):
        """By SciPy, of paired seeds."""
        differences = factor * (np.array(ranks_of[a]) - ranks_of[b])
        low, high = stats.t.interval(0.95, 2, differences.mean(), stats.sem(differences))
        return f"{differences.mean():.1f} [{low:.1f}, {high:.1f}]".replace("-", "−")  # noqa: RUF001

    bag, search = "Trees beat the bag", "image search"
    assert found[bag, margin, search, "BoW", "SDT-RNN"] == [
        *("3", "2.1", interval("a", "e"), "holds")
    ]
    assert found[bag, margin, search, "BoW", "DT-RNN"] == [
        *("3", "1.0", interval("a", "d"), "not decided")
    ]
    key = ("Trees beat constituency trees", margin, search, "CT-RNN (binarised)", "SDT-RNN")
    assert found[key] == ["3", "3.6", interval("b", "e"), "holds"]
    both = f"kCCA (linear), {results.REPORTED_CCA['max_margin']}", "SDT-RNN"
    assert found["Trees beat kernel CCA", margin, search, *both] == [
        *("3", "3.4", interval("f", "e"), "holds")
    ]
    key = ("The recurrent network is worst", margin, "describing images", "Recurrent NN", "SDT-RNN")
    assert found[key] == ["3", "10.2", interval("c", "e", 2), "holds"]
    key = ("The margin beats the squared error", margin, search)
    assert found[*key, f"SDT-RNN, {labels.SQUARED}", "SDT-RNN"] == [
        *("3", "3.3", interval("h", "e"), "holds")
    ]
    key = ("Not in the paper: the max margin beats the char-GRU's hinge", margin, search)
    assert found[*key, f"SDT-RNN, {labels.HINGE}", "SDT-RNN"] == [
        *("3", "–", interval("g", "e"), "does not hold")  # noqa: RUF001
    ]
    key = ("Not in the paper: trees beat the char-GRU", labels.HINGE, search)
    assert found[*key, "char-GRU", "SDT-RNN"][-1] == "does not hold"
    assert {key[0] for key in found} >= {"Relations beat positions", "Mean rank and recall agree"}
    tasks = [row[1] for row in next(iter(parts.values()))]
    assert tasks[:3] == list(ranks.TASKS.values())
    # In a heading, how many of its rows.
    counts = "(holds in 3, not decided in 3)"
    assert f"Trees beat the bag: draws {counts}" in parts

    draws = pd.read_csv(tmp_path / "claims-draws.csv")
    rows = draws[draws["claim"].eq("Relations beat positions") & draws["measure"].eq(search)]
    assert rows["difference"].tolist() == [2, 0.5, 4.5]
    assert table["commit"].notna().all()


def test_seeds_are_compared_with_themselves_only():
    """A constant advantage is certain, however much the draws differ."""
    measured = [
        {"seed": seed, "model": model, "mean_rank": rank, "r10": 100 - rank}
        for seed, rank in ((1, 10), (2, 30), (3, 90))
        for model, rank in (("a", rank + 1), ("e", rank))
    ]
    table = pd.DataFrame(measured).assign(
        **{"dataset": "d", "test_set": "100", "language": "en", "direction": C2I},
        epochs="8",
        objective=labels.MARGIN,
        test_to_train=0.0,
    )
    draws = table.assign(kind="snapshot", draws=[np.full(9, rank) for rank in table["mean_rank"]])
    draws = draws[[*WAY, "draws"]]
    table["system"] = table["name"] = table["model"].map({"a": "BoW", "e": "SDT-RNN"})
    found = over_seeds("", claims.differences(table[table["seed"] != 3], draws, {}))
    assert found[["difference", "low", "high", "seeds"]].values.tolist() == [[1, 1, 1, 2]]
    # A seed that one of them lacks does not count.
    one = table.drop(table.index[0])
    assert claims.differences(one, draws, {})["seed"].tolist() == [2, 3]


def test_draws_have_intervals_that_know_that_they_overlap(tmp_path):
    """Ten of a thousand images have intervals 1.5 times as wide as those of other images."""
    rng = np.random.default_rng(3)
    trainings = [
        training(model, rank + rng.normal(), seed)
        for model, rank in (("a", 12), ("e", 10))
        for seed in range(1, 11)
    ]
    widths = {}
    for draw in (None, [800, 100, 100]):
        options = results_of(tmp_path, *trainings)
        for path in options[1:21]:
            path.write_text(json.dumps(json.loads(path.read_text()) | {"draw": draw}))
        options += query_ranks(tmp_path, *trainings)
        _, claimed = tables(tmp_path, "claims", *options)
        _, shown = tables(tmp_path, "table1", *options[:-2])
        shown = shown[shown["source"] == "measured"].rename(
            columns=lambda name: name.removeprefix(f"{C2I}_mean_rank_")
        )
        found = pd.concat([claimed, shown])[["low", "high"]]
        widths[str(draw)] = (found["high"] - found["low"]).tolist()
    assert widths["[800, 100, 100]"] == pytest.approx([1.5 * width for width in widths["None"]])


@pytest.mark.parametrize("draw", ["800", [800, 100], [0, 100, 100], [800, 100, "x"], True])
def test_a_draw_that_is_none_is_named(tmp_path, draw):
    [path] = write_models(tmp_path, ("draws", "e"), e=trees())
    path.write_text(json.dumps(json.loads(path.read_text()) | {"draw": draw}))
    with pytest.raises(InputError, match=r"model.json does not describe a trained model: train"):
        results.read_models([path])


def test_one_seed_is_judged_image_by_image(tmp_path):
    """A constant advantage is certain, however much the ranks of images differ."""
    trainings = [training("a", 20), training("d", 17), training("e", 10)]
    parts, _ = claimed(tmp_path, *trainings)
    row = verdicts(parts)["Trees beat the bag", labels.MARGIN, "image search", "BoW", "SDT-RNN"]
    assert row == ["1", "2.1", "10.0 [10.0, 10.0]", "holds"]
    # Of one whose ranks do not differ the other's spread is left: 7 ± 1.96 * sqrt(5 / 4).
    alike = query_ranks(tmp_path, training("a", 20), spread=0)[1]
    table = pd.concat([pd.read_csv(alike), pd.read_csv(query_ranks(tmp_path, trainings[1])[1])])
    table.to_csv(tmp_path / "ranks.csv", index=False)
    arguments = [*results_of(tmp_path, *trainings[:2]), "--query-ranks", tmp_path / "ranks.csv"]
    _, table = tables(tmp_path, "claims", *arguments)
    row = table[table["measure"] == "image search"].iloc[0]
    assert row[["low", "high"]].tolist() == pytest.approx([3 - 2.19, 3 + 2.19], abs=0.4)


def test_mean_rank_and_recall_agree_where_their_orders_do(tmp_path):
    trainings = [training(name, rank) for name, rank in zip("abcde", (5, 9, 7, 6, 8), strict=True)]
    _, table = claimed(tmp_path, *trainings)
    rows = table[table["claim"] == claims.AGREE]
    assert rows["difference"].tolist() == pytest.approx([100, 100])
    assert rows["verdict"].tolist() == ["holds", "holds"]
    # Of BoW, kCCA and SDT-RNN, as printed.
    assert rows["reported"].tolist() == pytest.approx([100, 100])
    worse = [
        table.assign(r10=50 + table["mean_rank"].where(table["direction"] == I2C, -table["r10"]))
        for table in trainings
    ]
    _, table = claimed(tmp_path, *worse)
    rows = table[table["claim"] == claims.AGREE]
    assert rows["difference"].tolist() == pytest.approx([-100, -100])
    assert rows["verdict"].tolist() == ["does not hold", "does not hold"]


def test_kcca_is_compared_where_vectors_are_by_the_same_similarity(tmp_path):
    far = bag(objective={"name": "cca"}, similarity="euclidean")
    trainings = [training(name, rank) for name, rank in (("c", 20), ("f", 10), ("far", 30))]
    parts, _ = claimed(tmp_path, *trainings, far=far)
    found = verdicts(parts)
    key = ("The recurrent network is worst", "CCA, inner product", "image search")
    assert found[*key, "Recurrent NN, max margin, inner product", "kCCA (linear)"] == [
        *("1", "3.3", "10.0 [10.0, 10.0]", "holds")
    ]
    key = ("The margin beats the squared error", "CCA, inner product", "image search")
    # Of kCCA the paper's own table says the opposite.
    assert found[*key, "kCCA (linear), CCA, Euclidean distance", "kCCA (linear)"][1] == "−2.2"  # noqa: RUF001
    assert len(found) == 3 + 3 + 2


def test_without_two_systems_there_is_nothing_to_compare(tmp_path):
    with pytest.raises(InputError, match="nothing to compare"):
        claimed(tmp_path, training("e", 10))


# Relations


def test_norms_are_those_of_each_relation_s_matrix():
    matrices = np.stack([np.eye(3), [[0, 3, 0], [0, 0, 4], [0, 0, 0]], np.zeros((3, 3))])
    table = section_6_7.norms(matrices, ["det", "nsubj", "dep"], [6, 3, 1])
    assert table["norm"].tolist() == pytest.approx([3**0.5, 5, 0])
    assert table["from_identity"].tolist() == pytest.approx([0, 28**0.5, 3**0.5])
    assert table["share"].tolist() == [60, 30, 10]


def of_seeds(*names, dataset="draws"):
    """What `section_6_7.of_models` gives of seeds with these relations, whose norms fall."""
    tables = []
    for seed, relations_of_seed in enumerate(names, 1):
        count = len(relations_of_seed)
        edges = [9990, *[10] * (count - 2), 1]
        norms = seed + np.arange(count, 0, -1.0)
        table = pd.DataFrame({"relation": relations_of_seed, "edges": edges, "norm": norms})
        table["share"] = 100 * table["edges"] / table["edges"].sum()
        labels_of_seed = {"dataset": dataset, "model": "SDT", "seed": seed, "size": 4}
        tables.append(table.assign(from_identity=table["norm"] / 2, **labels_of_seed))
    return pd.concat(tables, ignore_index=True)


def test_relations_stand_by_their_mean_norm_beside_the_paper_s_places(tmp_path):
    first = ["det", *(f"r{k}" for k in range(28)), "nsubj"]
    second = ["det", *(f"r{k}" for k in range(28)), "poss"]
    found = section_6_7.over_seeds(of_seeds(first, second))
    assert found["relation"].tolist()[:2] == ["det", "r0"] and len(found) == 31
    assert found.iloc[0][["norm", "place", "seeds"]].tolist() == [31.5, 1, 2]
    low, high = stats.t.interval(0.95, 1, 31.5, 0.5)
    assert found.iloc[0][["norm_low", "norm_high"]].tolist() == pytest.approx([low, high])
    assert found.iloc[-1][["relation", "seeds"]].tolist() == ["nsubj", 1]
    assert found.iloc[-1][["norm_low", "norm_high"]].isna().all()

    reported = results.read_reported_relations(REPORTED / "section_6_7.csv")
    section_6_7.write_norms(tmp_path / "t", found, reported)
    lines = (tmp_path / "t.md").read_text("utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")][2:]
    # The twenty largest, and two more that the paper names.
    assert [row[0] for row in rows] == [*(str(k) for k in range(1, 21)), "30", "31"]
    assert rows[-2][1:3] == ["poss", "2"] and rows[-1][1:3] == ["nsubj", "1"]
    table = pd.read_csv(tmp_path / "t.csv")
    assert len(table) == 31 and table["commit"].notna().all()


def test_rare_relations_have_less_than_ten_edges():
    edges = {1: {"det": 980, "nsubj": 10, "dep": 9, "poss": 1}, 2: {"det": 998, "dep": 2}}
    rows = [
        {"dataset": "draws", "seed": seed, "edges": count, "share": count / 10}
        for seed, counts in edges.items()
        for count in counts.values()
    ]
    table = section_6_7.counted(pd.DataFrame(rows))
    assert table["relations"].tolist() == [141, 3]
    assert table["rare"][1] == 1.5  # dep and poss; dep
    assert table["rare_share"][1] == pytest.approx((1 + 0.2) / 2)


def test_the_largest_norms_stand_beside_what_was_learned(tmp_path):
    names = ["det", *(f"r{k}" for k in range(28)), "nsubj_$pass"]
    both = pd.concat([of_seeds(names, names), of_seeds(names, dataset="flickr8k")])
    figure = relations.largest(section_6_7.over_seeds(both))
    first, distance, second, _ = figure.axes
    assert [label.get_text() for label in first.get_yticklabels()] == names[:15]
    norms, learned = (
        next(line for line in panel.lines if line.get_marker() == "o").get_xdata().tolist()
        for panel in (first, distance)
    )
    assert norms == [31.5 - k for k in range(15)]
    table = section_6_7.over_seeds(both).query("dataset == 'draws' and place <= 15")
    assert learned == table["from_identity"].tolist()
    assert second.lines[0].get_xdata()[0] == 31
    style.save(figure, tmp_path / "relations")
    assert (tmp_path / "relations.png").exists()


# Sentences


def test_a_sentence_has_a_verb_if_a_word_is_tagged_as_one():
    assert section_6_6.has_verb(["DET", "NOUN", "VERB"])
    assert section_6_6.has_verb(["NOUN", "AUX", "ADJ"])
    assert not section_6_6.has_verb(["NOUN", "ADP", "NOUN"]) and not section_6_6.has_verb([])


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
def test_ranks_of_pairs_equal_counting(similarity):
    rng = np.random.default_rng(3)
    vectors = rng.integers(-2, 3, (23, 2)).astype(np.float32)  # with ties
    image = rng.permutation(np.repeat(np.arange(6), [1, 2, 3, 5, 5, 7]))
    verbs = rng.random(23) < 0.5
    if similarity == "cosine":
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)

    def near(i, j):
        if similarity == "euclidean":
            return -(((vectors[i] - vectors[j]) ** 2).sum())
        return vectors[i] @ vectors[j]

    def rank(i, j):
        others = [k for k in range(23) if image[k] != image[i]]
        return 1 + sum(near(i, k) >= near(i, j) - 1e-5 for k in others)

    table = section_6_6.of_one_image(vectors, image, verbs, similarity)
    assert len(table) == 1 + 3 + 10 + 10 + 21
    for row in table.itertuples():
        assert row.a < row.b and image[row.a] == image[row.b] == row.image
        assert (row.rank_of_b, row.rank_of_a) == (rank(row.a, row.b), rank(row.b, row.a))
        assert row.rank == (row.rank_of_b + row.rank_of_a) / 2
        missing = 2 - verbs[[row.a, row.b]].sum()
        assert row.verbs == [section_6_6.BOTH, section_6_6.ONE, section_6_6.NEITHER][missing]


def pairs_of(ranks_of_pairs, verbs, images=None):
    table = pd.DataFrame({"rank": ranks_of_pairs, "verbs": verbs, "seed": 1})
    return table.assign(image=images if images is not None else range(len(table)))


def test_the_worst_tenth_is_compared_with_all_pairs():
    both, one = section_6_6.BOTH, section_6_6.ONE
    table = pairs_of(range(20), [one] * 4 + [both] * 14 + [both, one])
    found = section_6_6.measures(table)
    assert list(found.values())[:3] == [25, 50, 25]
    assert found[f"mean rank where {one}"] == (0 + 1 + 2 + 3 + 19) / 5
    assert np.isnan(found[f"mean rank where {section_6_6.NEITHER}"])
    # Pairs that count twice, as in the bootstrap, are there twice.
    times = np.arange(20) % 3
    again = section_6_6.measures(table.loc[np.repeat(table.index, times)])
    assert section_6_6.measures(table, times) == pytest.approx(again, nan_ok=True)


def test_the_shares_of_one_seed_have_bootstrap_intervals_and_of_several_t_intervals():
    rng = np.random.default_rng(0)
    names = [section_6_6.BOTH, section_6_6.ONE, section_6_6.NEITHER]
    seeds = [
        pairs_of(rng.permutation(600), rng.choice(names, 600), np.repeat(np.arange(60), 10))
        for _ in range(3)
    ]
    alone = section_6_6.shares(seeds[0])
    assert alone["seeds"].eq(1).all()
    assert (alone["value_low"] < alone["value"]).all() and (
        alone["value"] < alone["value_high"]
    ).all()
    # Independent pairs: the interval of a share is near the binomial one.
    half = 1.96 * (33 * 67 / 600) ** 0.5
    assert (alone["value_high"] - alone["value_low"])[0] / 2 == pytest.approx(half, rel=0.25)
    together = section_6_6.shares(pd.concat([t.assign(seed=k) for k, t in enumerate(seeds)]))
    values = [section_6_6.measures(table)["difference (points)"] for table in seeds]
    low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    row = together[together["measure"] == "difference (points)"].iloc[0]
    assert row[["value", "value_low", "value_high"]].tolist() == pytest.approx(
        [np.mean(values), low, high]
    )


# With a model


def parsed(noun, place, verb):
    """`The dog runs in the park.` with a verb, and `The dog in the park.` without, parsed."""
    words = ["The", noun, *(["runs"] if verb else []), "in", "the", place, "."]
    n = len(words)
    root = 2 if verb else 1
    heads = [1, root, *([-1] if verb else []), root, n - 2, n - 4, root]
    heads[root] = -1
    relations_of = ["det", "nsubj", *(["root"] if verb else []), "prep", "det", "pobj", "punct"]
    relations_of[root] = "root"
    tags = ["DET", "NOUN", *(["VERB"] if verb else []), "ADP", "DET", "NOUN", "PUNCT"]
    return treebank.Tree(words, heads, relations_of, tags, " ".join(words[:-1]) + ".")


@pytest.fixture
def trained(tmp_path):
    """An untrained SDT-RNN as two seeds of a training on draws, with its data and treebank.

    Gives the options of scripts/report.py.
    """
    import torch

    from groundvec.data import schema
    from groundvec.features import store
    from groundvec.files import write_json
    from groundvec.model import Model
    from groundvec.text.trees import Text
    from groundvec.weights import save as save_weights

    nouns = ["dog", "cat", "man", "girl", "horse", "bird", "child", "bear"]
    parses = {
        (i, k): parsed(noun, place, verb=k != 3)
        for i, noun in enumerate(nouns)
        for k, place in enumerate(["park", "street", "water", "grass", "snow"])
    }
    treebank.write(tmp_path / "trees.conllu.gz", "by hand", parses.values())
    bank = treebank.Treebank([tmp_path / "trees.conllu.gz"])
    splits = ["train", "dev", *["test"] * 6]
    pictures = []
    for i in range(8):
        pictures.append(tmp_path / f"{i}.png")
        Image.new("RGB", (30, 30), (30 * i, 90, 90)).save(pictures[-1])
    names = [f"i{k}" for k in range(8)]
    images = pd.DataFrame({"image_id": names, "split": splits, "path": map(str, pictures)})
    captions = pd.DataFrame(
        [
            (names[i], f"{names[i]}#{k}", "en", splits[i], tree.text)
            for (i, k), tree in parses.items()
        ],
        columns=schema.CAPTION_COLUMNS,
    )
    schema.write(tmp_path, captions, images)
    features = np.random.default_rng(0).normal(size=(8, 12)).astype(np.float32)
    store.write(tmp_path / "features.h5", features, names, {})
    text = Text.build(captions["caption"], "by hand", "collapsed", "captions", 4, treebank=bank)
    parts = trees()
    parts["encoder"]["size"] = 4
    parts["text"]["parser"] = "by hand"
    scores = [training("e", 10, seed) for seed in (1, 2)]
    arguments = results_of(tmp_path, *scores, e=parts)
    for seed, path in enumerate(arguments[1:3], 1):
        torch.manual_seed(seed)
        model = Model(parts, {"en": text}, 12)
        save_weights(model, path.parent / "snapshots" / "epoch-008.safetensors")
        about = {"dataset": "draws", "model": "e", "seed": seed, "key": "0123abcd"}
        about |= {"snapshots": [4, 8], "saved": [4, 8], "width": 12, "draw": [1, 1, 4]}
        write_json(path, about | {"texts": {"en": text.as_dict()}, "description": parts})
    return [
        *arguments,
        *("--captions", tmp_path / "captions.csv", "--images", tmp_path / "images.csv"),
        *("--features", tmp_path / "features.h5"),
        *("--treebanks", tmp_path / "trees.conllu.gz"),
    ]


def test_norms_are_read_from_the_best_snapshots(trained, tmp_path):
    from groundvec.model import load_model

    _, table = tables(tmp_path, "section_6_7", *trained, reported="section_6_7")
    table = table.set_index("relation")
    # Eight images with five captions, of which one has no verb and so no subject.
    assert table["edges"].to_dict() == {"det": 80, "prep_in": 40, "nsubj": 32}
    models = [load_model(Path(path).parent, 8) for path in trained[1:3]]
    place = models[0].texts["en"].relations.index("nsubj")
    matrices = [model.captions["en"].matrices[place].detach() for model in models]
    expected = np.mean([np.sqrt((m.numpy() ** 2).sum()) for m in matrices])
    assert table.loc["nsubj", "norm"] == pytest.approx(expected, rel=1e-5)
    counts = (tmp_path / "section_6_7-counts.md").read_text()
    assert "| measured | draws | 3 | 0 | 0.00 |" in counts and "| 141 |" in counts
    run("relations", *trained, "--output", tmp_path / "relations")
    assert (tmp_path / "relations.pdf").exists()


def test_pairs_of_each_seed_s_own_draw_are_marked_by_their_verbs(trained, tmp_path):
    run("section_6_6", *trained, "--output", tmp_path / "t")
    table = pd.read_csv(tmp_path / "t.csv")
    # Four images a seed, of each ten pairs, of which those with the fourth caption lack a verb.
    assert table.groupby("seed").size().tolist() == [40, 40]
    assert table["verbs"].value_counts().to_dict() == {
        section_6_6.BOTH: 2 * 4 * 6,
        section_6_6.ONE: 2 * 4 * 4,
    }
    without = table["sentence_a"].str.contains("runs") & table["sentence_b"].str.contains("runs")
    assert (table["verbs"].eq(section_6_6.BOTH) == without).all()
    assert table["rank"].is_monotonic_decreasing
    drawn_images = table.groupby("seed")["image_id"].agg(set)
    assert drawn_images[1] != drawn_images[2]
    shares = pd.read_csv(tmp_path / "t-shares.csv").set_index("measure")
    assert shares.loc["one has no verb, of all pairs (%)", "value"] == 40
    lines = (tmp_path / "t.md").read_text("utf-8").splitlines()
    assert len([line for line in lines if line.startswith("|")]) == 2 + section_6_6.SHOWN


def test_passives_are_embedded_by_the_best_snapshots(trained, tmp_path, monkeypatch):
    from groundvec.model import load_model

    said = pd.DataFrame(
        [
            [f"The {noun} runs in the {place}." for place in ("park", "street", "water", "snow")]
            for noun in ("dog", "cat", "man")
        ],
        columns=active_passive.SENTENCES,
    )
    monkeypatch.setattr(active_passive, "exchanges", lambda seed, size: said)
    # No parser is called "by hand": its trees are looked up.
    monkeypatch.setattr(treebank, "parse", treebank.Treebank([trained[-1]]).trees)
    parts, table = tables(tmp_path, "active_passive", *trained[:6], reported=None)
    [[row]] = parts.values()
    assert row[:3] == ["SDT-RNN", labels.MARGIN, "2"]
    cosines = []
    for path in trained[1:3]:
        model = load_model(path.parent, 8)
        a, b = (model.encode_sentences(said[name].tolist()) for name in ("active", "passive"))
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        cosines.append(100 * np.mean((a * b).sum(axis=1) / lengths))
    assert table["value"][0] == pytest.approx(np.mean(cosines), abs=1e-4)


def test_a_word_s_learned_weight_is_how_much_the_sentence_follows_it(trained):
    """By differences of the real encoder, each word's vector changed a little."""
    import torch

    from groundvec.model import load_model

    model = load_model(Path(trained[1]).parent, 8, treebank=treebank.Treebank([trained[-1]]))
    sentence = "The dog runs in the park."
    weights = figure3.learned(model, "en", sentence)
    assert weights.shape == (5,) and weights.sum() == pytest.approx(1)
    encoder = model.captions["en"].double()
    batch = model.texts["en"].encode([sentence]).batch(np.arange(1))
    [words, lengths, *others] = map(torch.tensor, batch)
    vectors = encoder.vectors[words]

    def embed(changed):
        encoder.vectors = changed
        with torch.no_grad():
            return encoder(torch.arange(5), lengths, *others)[0]

    squares = np.zeros(5)
    for node, place in product(range(5), range(4)):
        changed = vectors.clone()
        changed[node, place] += 1e-6
        squares[node] += (((embed(changed) - embed(vectors)) / 1e-6) ** 2).sum().item()
    expected = np.sqrt(squares)
    np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-4)


def test_by_the_counts_a_node_weighs_what_is_under_it():
    """The product along the path of l(child) / l(parent)."""
    # The running example of the paper: students ride bikes at night.
    parents = [1, -1, 1, 1, 3]
    assert figure3.by_counts(parents).tolist() == [1 / 5, 1, 1 / 5, 2 / 5, 1 / 5]
    path = (1 / 2) * (2 / 5)  # night, under at, under ride
    assert figure3.by_counts(parents)[4] == path


def hidden(figure, boxes):
    """The edges that go through a text."""
    lines = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 4]
    assert lines
    return [
        line
        for line in lines
        for box in boxes
        if line.get_transform().transform_path(line.get_path()).intersects_bbox(box, filled=False)
    ]


def test_the_drawing_has_every_word_and_relation_and_no_text_on_another():
    tree = parsed("dog", "park", verb=True)
    nodes = collapsed(tree)
    figure = figure3.drawing(nodes, np.array([0.1, 0.3, 0.4, 0.05, 0.15]))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {"the", "dog", "runs", "park", "nsubj", "prep_in", "det", "1.00", "40%"} <= set(texts)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]
    assert not hidden(figure, boxes)
    width, height = figure.get_size_inches() * figure.dpi
    assert min(b.x0 for b in boxes) > 0 and max(b.x1 for b in boxes) < width
    assert min(b.y0 for b in boxes) > 0 and max(b.y1 for b in boxes) < height


def test_figures_of_a_data_set_are_drawn(trained, tmp_path):
    for item in ("figure3", "samples"):
        run(item, *trained, "--output", tmp_path / item)
        assert (tmp_path / f"{item}.png").exists() and (tmp_path / f"{item}.pdf").exists()


def test_the_sentence_of_the_drawing_is_of_middle_length():
    some = [parsed(noun, "park", verb) for noun, verb in (("a", 1), ("b", 0), ("c", 1))]
    assert figure3.middle(some).words[1] == "a"


def test_without_an_sdt_rnn_nothing_is_said_of_its_relations(tmp_path):
    arguments = results_of(tmp_path, training("d", 10))
    for item in ("section_6_7", "relations", "section_6_6", "figure3", "samples"):
        with pytest.raises(InputError, match="there is no SDT-RNN among the models"):
            run(item, *arguments, "--output", tmp_path / item)


def test_what_is_of_one_data_set_names_several(tmp_path):
    both = [training("e", 10), training("e", 10, dataset="flickr8k")]
    for item in ("section_6_6", "figure3", "samples"):
        with pytest.raises(InputError, match="give the results of one of draws, flickr8k"):
            run(item, *results_of(tmp_path, *both), "--output", tmp_path / item)


# The rules

EXPERIMENT = """
experiment: tries
models:
  first: &margin
    text: {{name: trees, dimension: 8}}
    encoder: {{name: trees, size: 8, compose: position}}
    similarity: dot
    objective: {{name: hinge, margin: 3, reduction: sum}}
  second: {{<<: *margin, encoder: {{name: trees, size: 8, compose: relation}}}}
  third: {{<<: *margin, encoder: {{name: mean, size: 8}}}}
  fourth: {{<<: *margin, objective: {{name: squared_error}}, similarity: euclidean}}
datasets:
  scenes: &scenes
    source: scenes
    count: 50
    backbone: efficientnet_lite0
    models: [third]
    papers: [{papers}]
  few: {{<<: *scenes, of: scenes, models: [{models}]}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("project"))


@pytest.mark.parametrize(
    ("papers", "models", "wanted"),
    [
        ("socher_2014", "first", "table1 table3 active_passive"),
        ("socher_2014", "first, fourth", "table1 table2 table3 active_passive"),
        ("socher_2014", "first, third, gru-8-max", "table1 table3 claims active_passive"),
        (
            "socher_2014",
            "first, second, third",
            "table1 table3 claims active_passive relations section_6_6 section_6_7 samples figure3",
        ),
        ("merkx_frank_2019", "first", ""),
        ("merkx_frank_2019, socher_2014", "first", "table1 table3 active_passive"),
    ],
)
def test_an_experiment_asks_for_what_its_papers_and_models_have(project, papers, models, wanted):
    (project / "tries.yaml").write_text(EXPERIMENT.format(papers=papers, models=models))
    plan = snakemake(project, "-n", "--configfile", "tries.yaml")
    asked = {rule for rule in re.findall(r"rule (\w+):", plan) if "_20" in rule}
    of_merkx = {f"merkx_frank_2019_{item}" for item in ("table2", "samples", "snapshots")}
    of_merkx |= {f"merkx_frank_2019_{item}" for item in ("figure1", "figure4")}
    expected = {f"socher_2014_{item}" for item in wanted.split()}
    assert asked == expected | (of_merkx if "merkx" in papers else set())
    if "second" in models:
        # What is of an SDT-RNN needs no other model's files, and of each data set that has one.
        part = plan[plan.index("rule socher_2014_section_6_6:") :].partition("output:")
        assert "models/few/second/seed1/model.json" in part[0]
        assert "models/few/first" not in part[0] and "models/scenes" not in part[0]
        assert "results/datasets/scenes/captions.csv" in part[0]
        assert "section_6_6-few-shares.md" in part[2] and "section_6_6-scenes" not in plan


@pytest.mark.parametrize(
    ("papers", "of_few", "rated"),
    [
        ("socher_2014", "", ["scenes", "few"]),
        ("socher_2014", "draw: [20, 8, 8],", ["scenes"]),
        ("merkx_frank_2019", "papers: [socher_2014], draw: [20, 8, 8],", ["scenes", "few"]),
    ],
)
def test_a_draw_is_rated_only_where_its_paper_has_nothing_else(project, papers, of_few, rated):
    text = EXPERIMENT.format(papers=papers, models="first")
    text = text.replace("of: scenes,", f"of: scenes, {of_few}") + "ratings: {source: scenes}\n"
    (project / "rated.yaml").write_text(text)
    plan = snakemake(project, "-n", "--configfile", "rated.yaml")
    assert "rule socher_2014_ratings:" in plan
    found = re.findall(r"^    output: \S+/ratings/models/(\w+)/\S+/seed\d\.csv", plan, flags=re.M)
    assert sorted(found) == sorted(rated)


def test_a_paper_that_nobody_reports_is_named():
    config = yaml.safe_load(EXPERIMENT.format(papers="socher_2013", models="first"))
    with pytest.raises(InputError, match=r"papers\.0: 'socher_2013' .*did you mean 'socher_2014'"):
        complete(config)
    config["datasets"]["few"]["papers"] = []
    config["datasets"]["scenes"]["papers"] = ["socher_2014"]
    with pytest.raises(InputError, match=r"configuration, datasets\.few\.papers: "):
        complete(config)
