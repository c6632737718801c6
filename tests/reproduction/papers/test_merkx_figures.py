"""Figures 2 to 4 of Merkx & Frank (2019), as points and intervals."""

import numpy as np
import pandas as pd
import pytest

from reproduction.papers.merkx_frank_2019 import figure4
from reproduction.papers.merkx_frank_2019.figure2 import scores_by_size
from reproduction.papers.merkx_frank_2019.figure3 import correlation_by_subtask
from reproduction.papers.merkx_frank_2019.figure4 import by_epoch, scores_by_epoch
from reproduction.papers.merkx_frank_2019.reported import read_correlations
from reproduction.render.figures import forest
from reproduction.reporting.measures import semantic_measures
from tests.support import result_files as support
from tests.support.refusals import refused
from tests.support.result_files import BAG, STS, models, read, trained
from tests.support.result_files import REPORTED as FOLDER
from tests.support.retrieval_scores import C2I, training

REPORTED = FOLDER / "table_s1.csv"


def retrieval(dataset, model, r10=50.0, seed=1, curve=None):
    """Scores of a training: an ensemble with this R@10, and snapshots by their epochs.

    On the test set, snapshots have 1 less from caption to image than `curve`, and 1 more back.
    """
    curve = curve or {4: r10}
    table = training(dataset, model, seed, (r10, r10), tuple(curve), ["1k"])
    snapshots = table["kind"].eq("snapshot") & table["split"].eq("test")
    expected = table.loc[snapshots, "epochs"].astype(int).map(curve)
    table.loc[snapshots, "r10"] = expected + np.where(table["direction"] == C2I, -1, 1)[snapshots]
    return table


def rated(dataset, model, r, seed=1):
    """Scores of a training: r on STS and r + 0.2 on SICK; 0.3 less of the untrained network."""
    return trained(f"{dataset}/{model}/seed{seed}", r, STS)


def baseline(name, r, encoder=None):
    return support.baseline(name, r, STS).assign(encoder=encoder)


def measures(folder, *tables):
    return semantic_measures(read(folder, *tables))


def models_of(folder, measured, **descriptions):
    """Return the models that have retrieval scores."""
    names = measured[["dataset", "model", "seed"]].drop_duplicates()
    trainings = [(dataset, model, int(seed)) for dataset, model, seed in names.values]
    return models(folder, *trainings, **descriptions)


def dots(container):
    """Return (x, y) of the markers, and the ends of their intervals."""
    line, _, (bars,) = container
    return np.array(line.get_xydata(), float), np.array(bars.get_segments())


# Figure 2


def test_figure2_has_every_measure_of_every_data_set(tmp_path):
    systems = {
        ("flickr8k", "gru-1024-attention"): (50, 0.5),
        ("flickr8k", "gru-2048-max"): (40, 0.4),
        ("flickr8k", "lstm-1024-attention"): (60, 0.6),
        ("scenes", "gru-64-attention"): (20, 0.3),
    }
    measured = pd.concat([retrieval(*name, r10) for name, (r10, _) in systems.items()])
    trainings = [rated(*name, r) for name, (_, r) in systems.items()]
    table = measures(tmp_path, *trainings, baseline("trigrams", 0.4))
    figure = scores_by_size(measured, table, models_of(tmp_path, measured))
    names = ["STS 12-16", "STS-B", "SICK-R", "training task"]
    assert [axes.get_title("left") for axes in figure.axes] == 2 * names
    assert [row.get_suptitle() for row in figure.subfigs] == ["Flickr8k", "scenes"]
    expected = (
        ([50, 40, 60], [-2, 4]),
        ([80, 70, 90], [-2, 4]),
        ([70, 60, 80], [-2, 4]),
        ([50, 40, 60], [-2.5, 2.5]),  # sqrt(3^2 + 4^2) / 2
    )
    for panel, (values, ends) in zip(figure.axes, expected, strict=False):
        labels = [container.get_label() for container in panel.containers]
        assert labels == ["GRU", "GRU, max pooling", "LSTM"]
        for container, value in zip(panel.containers, values, strict=True):
            [(_, y)], [bar] = dots(container)
            assert y == pytest.approx(value)
            np.testing.assert_allclose(bar[:, 1], np.add(value, ends))


def test_unknown_networks_have_their_own_labels_in_figure_2(tmp_path):
    names = ["gru-8-attention", "ran-8-attention", "words"]
    recalls = [50, 51, 52]
    measured = pd.concat(map(retrieval, ["scenes"] * 3, names, recalls))
    described = models_of(tmp_path, measured, words=BAG)
    [panel] = scores_by_size(measured, None, described).axes
    labels = ["GRU", "RAN", "bag (words)"]
    assert [container.get_label() for container in panel.containers] == labels
    assert [dots(container)[0][0, 1] for container in panel.containers] == recalls


def test_a_model_without_ratings_is_named(tmp_path):
    table = measures(tmp_path, rated("scenes", "gru-64-attention", 0.5))
    names = ("gru-64-attention", "gru-64-max")
    measured = pd.concat([retrieval("scenes", name) for name in names])
    message = "found no semantic scores of scenes/gru-64-max/seed1"
    with refused(message):
        scores_by_size(measured, table, models_of(tmp_path, measured))
    with refused(message):
        by_epoch(measured, table)


# Figure 3


def test_figure3_has_every_subtask_and_system(tmp_path):
    table = read(
        tmp_path,
        rated("flickr8k", "gru-8-attention", 0.5),
        rated("flickr8k", "lstm-8-attention", 0.6),  # not selected
        baseline("spelling", 0.4, encoder="trigrams"),
        baseline("no trigrams", 0.45, encoder="bag-of-words"),
    )
    selected = {"flickr8k": ("gru-8-attention", 1)}
    table = correlation_by_subtask(table, selected, read_correlations(REPORTED))
    assert table["row"].iloc[0] == "STS 2012 MSRpar (750)"
    expected = {
        "gru-8-attention Flickr8k": 50,
        "no trigrams": 45,
        "untrained gru-8-attention (baseline)": 20,
        "spelling (baseline)": 40,
        "BOW (reported)": 42.3,
        "InferSent (reported)": 40.0,
        "char-GRU Flickr8k (reported)": 49.1,
        "char-GRU MSCOCO (reported)": 37.6,
    }
    subtasks = table.set_index(["row", "series"])
    of_msrpar = subtasks.loc["STS 2012 MSRpar (750)"]
    assert of_msrpar["value"].to_dict() == pytest.approx(expected)
    assert of_msrpar["open"].sum() == 4
    ends = of_msrpar[["low", "high"]]
    assert ends.loc["gru-8-attention Flickr8k"].tolist() == pytest.approx([48, 54])
    # As in the supplement.
    assert ends.loc["BOW (reported)"].tolist() == pytest.approx([42.3 - 6.1, 42.3 + 5.7])
    # SICK is by its classifier.
    sick = subtasks.loc["SICK Relatedness (4,927)"]
    assert sick.loc["gru-8-attention Flickr8k", "value"] == pytest.approx(70)


def test_rows_have_a_marker_and_its_interval_for_each_series():
    table = pd.DataFrame({"row": ["a", "b", "a"], "series": ["x", "x", "y"], "panel": "p"})
    table = table.assign(value=[1, 2, 3], low=0, high=[4, 5, 6], open=[False, True, False])
    [panel] = forest(table, "r").axes
    assert [text.get_text() for text in panel.get_yticklabels()] == ["a", "b"]
    filled, hollow, other = panel.containers[:3]
    for container, x, side in ((filled, 1, -1), (hollow, 2, -1), (other, 3, 1)):
        [point], [bar] = dots(container)
        assert point[0] == x and np.sign(point[1] - round(point[1])) == side
        np.testing.assert_allclose(bar[:, 0], [0, x + 3])
    assert hollow[0].get_fillstyle() == "none"


# Figure 4


def curve_of(panel):
    """Return the epochs and values of the first curve."""
    line = panel.lines[0]
    return np.array(line.get_xydata(), float).T.tolist()


def test_figure4_has_recall_on_the_test_set_above_the_semantic_score(tmp_path):
    curve = {0: 1.0, 1: 20, 2: 30, 4: 40, 6: 44, 8: 46}
    backwards = dict(zip(curve, list(curve.values())[::-1], strict=True))
    parts = [retrieval("flickr8k", "lstm-8-attention", curve=backwards)]
    for seed, more in ((1, 1), (2, -1)):
        of_seed = {epoch: r10 + more for epoch, r10 in curve.items()}
        parts.append(retrieval("flickr8k", "gru-8-attention", seed=seed, curve=of_seed))
    measured = pd.concat(parts)
    folds = measured.assign(test_set="1k-folds", r10=77)
    scores = [rated("flickr8k", "gru-8-attention", r, seed) for seed, r in ((1, 0.6), (2, 0.4))]
    scores.append(rated("flickr8k", "lstm-8-attention", 0.4))
    rated_measures = measures(tmp_path, *scores, baseline("trigrams", 0.4))
    table = by_epoch(pd.concat([measured, folds]), rated_measures)
    described = models_of(tmp_path, measured)
    selected = {"flickr8k": ("gru-8-attention", 1)}
    printed = pd.DataFrame({"dataset": ["flickr8k"], "measure": "semantic score", "value": 70.25})
    figure = scores_by_epoch(table, described, selected, printed)
    gru, lstm, gru_rated, lstm_rated = figure.axes
    assert [p.get_title("left") for p in (gru, lstm)] == ["GRU", "LSTM"]
    # The mean of seeds and directions, on the whole test set; the untrained model has no point.
    epochs = [1, 2, 4, 6, 8]
    assert curve_of(gru) == [epochs, [curve[epoch] for epoch in epochs]]
    assert curve_of(lstm) == [epochs, [backwards[epoch] for epoch in epochs]]
    # The mean of r on STS and r + 0.2 on SICK; r was 0.5 of the ensemble, and 0.1 less at epoch 4.
    where, values = curve_of(gru_rated)
    assert where == [4]
    np.testing.assert_allclose(values, [50])
    assert "paper\n70.2" in [text.get_text() for text in lstm_rated.texts]


def test_figure4_shows_the_paper_s_numbers():
    columns = ["dataset", "data_source", "test_to_train"]
    datasets = [("few", "flickr8k", 0), ("scenes", "scenes", 0), ("draw", "flickr8k", 0.5)]
    found = figure4.reported_scores(pd.DataFrame(datasets, columns=columns))
    found = found.set_index(["dataset", "measure"])["value"]
    # Table 2; and the mean of STS 2012 to 2016 (66.8) and SICK (81.5) of the supplement.
    assert found.to_dict() == {
        ("few", "training task"): pytest.approx((70.5 + 79.3) / 2),
        ("few", "semantic score"): pytest.approx((66.8 + 81.5) / 2, abs=0.05),
    }
