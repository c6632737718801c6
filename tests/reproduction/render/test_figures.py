from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from PIL import Image

from groundvec.results import schemas
from groundvec.runtime.errors import InputError
from reproduction.papers.merkx_frank_2019 import figure2, figure4
from reproduction.papers.merkx_frank_2019.figure2 import scores_by_size
from reproduction.papers.merkx_frank_2019.figure3 import correlation_by_subtask
from reproduction.papers.merkx_frank_2019.figure4 import by_epoch, scores_by_epoch
from reproduction.papers.merkx_frank_2019.reported import read_correlations
from reproduction.render.style import BLUE, VERMILLION
from reproduction.reporting import results, systems
from reproduction.reporting.measures import semantic_measures
from tests.support.result_files import BAG, filled, models, run, write_models
from tests.support.result_files import REPORTED as FOLDER

REPORTED = FOLDER / "table_s1.csv"
PROVENANCE = dict.fromkeys(systems.PROVENANCE, "x")
TASKS = {  # the pairs of each
    ("STS 2012", "MSRpar"): 750,
    ("STS 2012", "OnWN"): 200,
    ("STS 2016", "HDL"): 750,
    ("SICK", "Relatedness"): 4927,
}


def retrieval(dataset, model, r10=50.0, seed=1, curve=None):
    """Scores of an ensemble, both ways `r10` give or take 3 and 4 on the development set.

    Chance has the same scores, and the test set too. Snapshots, by their epochs in `curve`, have
    1 less from caption to image than there, and 1 more back; on the development set 99.
    """
    rows = []
    curve = {str(epoch): value for epoch, value in (curve or {}).items()}
    kinds = [("chance", ""), *(("snapshot", epoch) for epoch in curve), ("ensemble", "4+8")]
    for (kind, epochs), split, (direction, interval, more) in product(
        kinds, ("dev", "test"), (("caption_to_image", 3, -1), ("image_to_caption", 4, 1))
    ):
        value = r10
        if kind == "snapshot":
            value = curve[epochs] + more if split == "test" else 99
        measures = {name: value for name in ("r1", "r5", "r10")}
        measures |= {rank: max(value, 1) for rank in ("median_rank", "mean_rank")}
        measures |= dict.fromkeys(("r1_ci", "r5_ci", "r10_ci"), interval)
        system = {"dataset": dataset, "model": model, "seed": seed, "language": "en"}
        system |= {"kind": kind, "epochs": epochs}
        where = {"split": split, "test_set": "1k", "direction": direction, "queries": 100}
        rows.append(system | where | measures | PROVENANCE)
    return pd.DataFrame(rows)


def scores(system, r, kind="baseline", epochs="", tasks=TASKS):
    """Scores: `r` on the first subtask, 0.01 more on each further one; 0.1 more by classifier.

    The interval is from 0.05 below to 0.02 above.
    """
    found = {}
    for i, (task, subtask) in enumerate(tasks):
        found[task, subtask, "correlation", "cosine"] = r + 0.01 * i
        if task == "SICK":
            found[task, subtask, "correlation", "classifier"] = r + 0.01 * i + 0.1
    for task in (*dict.fromkeys(task for task, _ in tasks if task != "SICK"), "all"):
        for statistic in ("mean", "weighted mean", "concatenated"):
            found[task, "all", statistic, "cosine"] = r + 0.2 * (statistic == "weighted mean")
    names = ["dataset", "model", "seed"]
    parts = system.split("/") if kind != "baseline" else ["", "", ""]
    rows = [
        {"system": system, "kind": kind, "epochs": epochs, **dict(zip(names, parts, strict=True))}
        | dict(zip(["task", "subtask", "statistic", "method"], key, strict=True))
        | {f"{name}{end}": value + more for name in ("pearson", "spearman") for end, more in ENDS}
        | {"pairs": tasks.get(key[:2], 1000)}
        | PROVENANCE
        for key, value in found.items()
    ]
    table = pd.DataFrame(rows)
    table["seed"] = table["seed"].str.removeprefix("seed")
    return table


ENDS = [("", 0), ("_low", -0.05), ("_high", 0.02)]


def trained(dataset, model, r, tasks=TASKS, seed=1):
    """Scores of a training: the ensemble has `r`, the untrained network half of it."""
    system = f"{dataset}/{model}/seed{seed}"
    parts = [scores(system, r, "ensemble", "4+8", tasks)]
    parts += [
        scores(system, r * part, "snapshot", epoch, tasks)
        for epoch, part in (("0", 0.5), ("1", 0.7), ("4", 0.9), ("8", 0.8))
    ]
    return pd.concat(parts)


def predictions(system, kind="ensemble", epochs="4+8", sizes=(("MSRpar", 4), ("OnWN", 4))):
    """The pairs of subtasks of STS 2012, and more of SICK; the first four have r = 0.8."""
    sizes = [*(("STS 2012", *size) for size in sizes), ("SICK", "Relatedness", 9)]
    rows = []
    for task, subtask, n in sizes:
        rows += [
            {"task": task, "subtask": subtask, "rating": i % 5, "cosine": [0, 0.4, 0.2, 0.6][i % 4]}
            for i in range(n)
        ]
    table = pd.DataFrame(rows)
    classifier = np.where(table["task"] == "SICK", 3.0, np.nan)
    return table.assign(
        pair=range(len(table)), system=system, kind=kind, epochs=epochs, classifier=classifier
    )


FORMS = {
    results.read_scores: schemas.Scores,
    results.read_retrieval: schemas.Retrieval,
    results.read_predictions: schemas.Predictions,
}


def read(folder, reader, *tables):
    """Read tables from files; return the tables and the files."""
    paths = []
    for table in tables:
        paths.append(folder / f"{list(FORMS).index(reader)}-{len(paths)}.csv")
        filled(table, FORMS[reader]).to_csv(paths[-1], index=False)
    return reader(paths), paths


def models_of(folder, measured, **descriptions):
    """Return the models that have retrieval scores."""
    names = measured[["dataset", "model", "seed"]].drop_duplicates().itertuples(index=False)
    return models(folder, *map(tuple, names), **descriptions)


def dots(container):
    """Return (x, y) of the markers, and the ends of their intervals."""
    line, _, (bars,) = container
    return np.array(line.get_xydata(), float), np.array(bars.get_segments())


# Figure 2


def test_figure2_has_every_measure_of_every_data_set(tmp_path):
    measured = pd.concat(
        [
            retrieval("flickr8k", "gru-1024-attention", 50),
            retrieval("flickr8k", "gru-2048-max", 40),
            retrieval("flickr8k", "lstm-1024-attention", 60),
            retrieval("scenes", "gru-64-attention", 20),
        ]
    )
    of_ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("flickr8k", "gru-1024-attention", 0.5),
        trained("flickr8k", "gru-2048-max", 0.4),
        trained("flickr8k", "lstm-1024-attention", 0.6),
        trained("scenes", "gru-64-attention", 0.3),
        scores("trigrams", 0.7),
    )
    figure = scores_by_size(measured, semantic_measures(of_ratings), models_of(tmp_path, measured))
    names = ["STS 12-16", "SICK-R", "training task"]
    assert [axes.get_title("left") for axes in figure.axes] == 2 * names
    assert [row.get_suptitle() for row in figure.subfigs] == ["Flickr8k", "scenes"]
    sts, sick, task = figure.axes[:3]
    # STS is the weighted mean of all, r + 0.2; SICK is the fourth task, by its classifier.
    for panel, gru, lstm, low, high in (
        (sts, [70, 60], [80], 5, 2),
        (sick, [63, 53], [73], 5, 2),
        (task, [50, 40], [60], 2.5, 2.5),  # sqrt(3^2 + 4^2) / 2
    ):
        for container, expected in zip(panel.containers, (gru, lstm), strict=True):
            points, bars = dots(container)
            np.testing.assert_allclose(points[:, 1], expected)
            np.testing.assert_allclose(bars[:, 0, 1], np.subtract(expected, low))
            np.testing.assert_allclose(bars[:, 1, 1], np.add(expected, high))
        assert [t.get_text() for t in panel.get_xticklabels()] == ["1024", "max\n(2048)"]
        points, _ = dots(panel.containers[0])
        assert points[:, 0].round().tolist() == [0, 1]
        assert points[0, 0] < dots(panel.containers[1])[0][0, 0] < 0.5  # the GRU left of the LSTM
        assert panel.get_ylabel()
    np.testing.assert_allclose(dots(figure.axes[3].containers[0])[0][:, 1], [50])  # scenes


def test_seeds_stand_beside_each_other(tmp_path):
    measured = pd.concat(
        [retrieval("scenes", "gru-8-max", 40 + seed, seed) for seed in (1, 2, 3)]
        + [retrieval("scenes", "lstm-8-max", 40, 2)]
    )
    (panel,) = scores_by_size(measured, None, models_of(tmp_path, measured)).axes
    gru, lstm = (dots(container)[0] for container in panel.containers)
    assert gru[:, 1].tolist() == [41, 42, 43]
    assert -0.5 < gru[0, 0] < gru[1, 0] < gru[2, 0] < lstm[0, 0] < 0.5
    assert panel.containers[0][0].get_marker() != panel.containers[1][0].get_marker()
    assert panel.containers[0][0].get_color() != panel.containers[1][0].get_color()


def test_unknown_parts_have_a_place_a_colour_and_a_name_of_their_own(tmp_path):
    names = ["gru-8-attention", "gru-8-max", "gru-8-mean", "ran-8-attention", "words", "ngrams"]
    measured = pd.concat(
        [retrieval("scenes", name, 50 + i) for i, name in enumerate(names)]
        + [retrieval("flickr8k", "ran-8-attention"), retrieval("flickr8k", "lstm-8-attention")]
    )
    described = models_of(tmp_path, measured, words=BAG, ngrams={**BAG, "text": {"name": "ngrams"}})
    scenes, flickr8k = scores_by_size(measured, None, described).axes
    assert [t.get_text() for t in scenes.get_xticklabels()] == ["8", "max\n(8)", "mean\n(8)"]
    found = {container.get_label(): container for container in scenes.containers}
    assert list(found) == ["GRU", "RAN", "bag (words)", "bag (ngrams)"]
    values = {name: dots(container)[0] for name, container in found.items()}
    assert values["GRU"][:, 1].tolist() == [50, 51, 52]
    assert [values[name][:, 1].tolist() for name in list(found)[1:]] == [[53], [54], [55]]
    for points, places in zip(values.values(), ([0, 1, 2], [0], [0], [0]), strict=True):
        assert points[:, 0].round().tolist() == places
    # Models of one size are spread around its tick; a single model is on the tick.
    assert np.mean([points[0, 0] for points in values.values()]) == pytest.approx(0)
    assert values["GRU"][1:, 0].tolist() == [1, 2]
    colours = [container[0].get_color() for container in found.values()]
    assert len(set(colours)) == 4 and colours[0] == BLUE and VERMILLION not in colours
    of_flickr8k = {c.get_label(): c[0].get_color() for c in flickr8k.containers}
    assert of_flickr8k == {"LSTM": VERMILLION, "RAN": colours[1]}


def test_there_is_a_look_for_any_number_of_networks():
    found = figure2.looks(["LSTM", *"abcdefgh"])
    assert len(found) == 10 and found["GRU"][0] == BLUE
    assert len(set(found.values())) == 6  # GRU, LSTM, four others


def test_without_ratings_only_the_training_task_is_drawn(tmp_path):
    measured, paths = read(
        tmp_path,
        results.read_retrieval,
        retrieval("scenes", "gru-64-attention", 20, curve={0: 1, 1: 20}),
    )
    (panel,) = scores_by_size(measured, None, models_of(tmp_path, measured)).axes
    np.testing.assert_allclose(dots(panel.containers[0])[0], [[0, 20]])
    described = write_models(tmp_path, ("scenes", "gru-64-attention"))
    for name in ("figure2", "figure4"):
        run(
            *(name, "--models", *described, "--retrieval", *paths, "--scores"),
            *("--output", tmp_path / name),
        )
        assert Image.open(tmp_path / f"{name}.png").width == 680  # one column, 3.4 inches


def test_a_model_without_ratings_is_named(tmp_path):
    of_ratings, _ = read(tmp_path, results.read_scores, trained("scenes", "gru-64-attention", 0.5))
    measured = pd.concat(
        [retrieval("scenes", "gru-64-attention"), retrieval("scenes", "gru-64-max")]
    )
    of_ratings = semantic_measures(of_ratings)
    message = "found no semantic scores of scenes/gru-64-max/seed1"
    with pytest.raises(InputError, match=message):
        scores_by_size(measured, of_ratings, models_of(tmp_path, measured))
    with pytest.raises(InputError, match=message):
        by_epoch(measured, of_ratings)


# Figure 3


def labels(figure):
    return [[t.get_text() for t in panel.get_yticklabels()] for panel in figure.axes]


def test_figure3_has_every_subtask_and_system(tmp_path):
    of_ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("flickr8k", "gru-8-attention", 0.5),
        trained("flickr8k", "lstm-8-attention", 0.7),  # not selected
        scores("spelling", 0.4).assign(encoder="trigrams"),
        scores("no trigrams", 0.45).assign(encoder="bag-of-words"),
    )
    reported = read_correlations(REPORTED)
    selected = {"flickr8k": ("gru-8-attention", 1)}
    figure = correlation_by_subtask(of_ratings, selected, reported)
    assert [panel.get_ylabel() for panel in figure.axes] == ["STS 2012", "STS 2016", "SICK"]
    assert labels(figure) == [
        ["MSRpar (750)", "OnWN (200)"],
        ["HDL (750)"],
        ["Relatedness (4,927)"],
    ]
    expected = {
        "gru-8-attention Flickr8k": (50, "filled"),
        "no trigrams": (45, "filled"),
        "untrained gru-8-attention (floor)": (25, "dark"),
        "spelling (floor)": (40, "dark"),
    }
    reported_on_msrpar = {"BOW": 42.3, "InferSent": 40.0, "char-GRU Flickr8k": 49.1}
    reported_on_msrpar["char-GRU MSCOCO"] = 37.6
    for name, r in reported_on_msrpar.items():
        expected[f"{name} (reported)"] = (r, "hollow")
    sts2012, sts2016, sick = figure.axes
    found = {container.get_label(): container for container in sts2012.containers}
    assert list(found) == list(expected)
    for place, (label, (r, kind)) in enumerate(expected.items()):
        points, bars = dots(found[label])
        assert points[0, 0] == pytest.approx(r)
        if kind != "hollow":
            np.testing.assert_allclose(points[:, 0], [r, r + 1])
            np.testing.assert_allclose(bars[:, :, 0], [[r - 5, r + 2], [r - 4, r + 3]])
            # SICK is the fourth task, and by its classifier.
            of_sick, _ = dots(sick.containers[place])
            np.testing.assert_allclose(of_sick[:, 0], [r + 3 + 10])
            np.testing.assert_allclose(dots(sts2016.containers[place])[0][:, 0], [r + 2])
        inside = found[label][0].get_markerfacecolor()
        assert same_color(inside, "white") == (kind == "hollow")
        assert same_color(inside, "0.25") == (kind == "dark")
        assert points[:, 1].round().tolist() == [0, 1]  # within the line of its subtask
    _, bars = dots(found["BOW (reported)"])
    np.testing.assert_allclose(bars[0, :, 0], [42.3 - 6.1, 42.3 + 5.7])  # as in the supplement
    tops = [dots(found[label])[0][0, 1] for label in expected]
    assert tops == sorted(set(tops))  # below each other
    # The legend has a column for each kind of system.
    (legend,) = figure.legends
    names = [t.get_text() for t in legend.get_texts() if t.get_text() != " "]
    bare = [label.partition(" (")[0] for label in expected]
    floors, theirs = (
        names.index("Measured: floors, which know spelling only"),
        names.index("Reported in the paper"),
    )
    assert names[0] == "Measured" and floors == 3 and theirs == 6
    assert [name for k, name in enumerate(names) if k not in (0, floors, theirs)] == bare


def test_figure3_fits_on_a_page_and_shrinks(tmp_path):
    reported = read_correlations(REPORTED)
    tasks = reported.drop_duplicates(["task", "subtask"]).set_index(["task", "subtask"])
    tasks = tasks["pairs"].to_dict()
    tables = [
        trained("flickr8k", "gru-8-attention", 0.5, tasks),
        scores("a", 0.3, tasks=tasks),
    ]
    of_ratings, _ = read(tmp_path, results.read_scores, *tables)
    selected = {"flickr8k": ("gru-8-attention", 1)}
    figure = correlation_by_subtask(of_ratings, selected, reported)
    rows = [row.split(" (")[0] for panel in labels(figure) for row in panel]
    assert rows == [subtask for _, subtask in tasks] and len(rows) == 26
    assert figure.get_size_inches()[0] == 7 and 6 < figure.get_size_inches()[1] < 9.5

    few = {("Scenes", "negation"): 50, ("Scenes", "roles"): 50}
    of_ratings, paths = read(
        tmp_path,
        results.read_scores,
        trained("scenes", "gru-8-attention", 0.5, few),
        scores("trigrams", 0.4, tasks=few),
    )
    _, measured = read(tmp_path, results.read_retrieval, retrieval("scenes", "gru-8-attention"))
    run(
        *("figure3", "--scores", *paths, "--retrieval", *measured, "--reported", REPORTED),
        *("--output", tmp_path / "figure3"),
    )
    width, height = Image.open(tmp_path / "figure3.png").size
    assert width == 1400 and height < 300
    small = correlation_by_subtask(of_ratings, {"scenes": ("gru-8-attention", 1)}, reported)
    assert labels(small) == [["negation (50)", "roles (50)"]]
    assert not [t for t in small.legends[0].get_texts() if "Reported" in t.get_text()]


# Figure 4

NOTHING = pd.DataFrame(columns=["dataset", "measure", "value"])


def curves(panel):
    """Return the epochs and values of each curve with markers, by its label."""
    return {
        line.get_label(): np.array(line.get_xydata(), float).T.tolist()
        for line in panel.lines
        if line.get_marker() != "None"
    }


def test_figure4_has_recall_on_the_test_set_above_the_semantic_score(tmp_path):
    curve = {0: 1.0, 1: 20, 2: 30, 4: 40, 6: 44, 8: 46}
    of_ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("flickr8k", "gru-8-attention", 0.5),
        trained("flickr8k", "lstm-8-attention", 0.4),
        scores("trigrams", 0.4),
    )
    backwards = dict(zip(curve, list(curve.values())[::-1], strict=True))
    measured = pd.concat(
        [
            retrieval("flickr8k", "lstm-8-attention", 1, curve=backwards),
            retrieval("flickr8k", "gru-8-attention", 46, curve=curve),
        ]
    )
    folds = measured.assign(test_set="1k-folds", r10=77)
    table = by_epoch(pd.concat([measured, folds]), semantic_measures(of_ratings))
    described = models_of(tmp_path, measured)
    selected = {"flickr8k": ("gru-8-attention", 1)}
    theirs = pd.DataFrame([["flickr8k", "semantic score", 70.25]], columns=list(NOTHING))
    figure = scores_by_epoch(table, described, selected, theirs)
    gru, lstm, gru_rated, lstm_rated = figure.axes
    assert [p.get_title("left") for p in (gru, lstm)] == ["GRU", "LSTM"]
    assert gru.get_ylabel() == "training task\ntest set R@10 (%)"
    assert gru_rated.get_ylabel() == "semantic score\nPearson's r \N{MULTIPLICATION SIGN} 100"
    # The mean of both directions, on the whole test set; the untrained model has no point.
    epochs = [1, 2, 4, 6, 8]
    assert curves(gru) == {"gru-8-attention": [epochs, [curve[epoch] for epoch in epochs]]}
    expected = [backwards[epoch] for epoch in epochs]
    assert curves(lstm) == {"lstm-8-attention": [epochs, expected]}
    assert [text.get_text() for text in lstm.texts] == ["untrained: 46.0"]
    # The mean of r + 0.2 on STS and r + 0.03 + 0.1 on SICK; r was 0.5 times 0.5, 0.7, 0.9, 0.8.
    [(where, values)] = curves(gru_rated).values()
    rated = [0, 2, 4]  # of 1, 2, 4, 6 and 8
    assert where == epochs and np.isnan(values)[[1, 3]].all()
    np.testing.assert_allclose(np.array(values)[rated], [51.5, 61.5, 56.5])
    assert gru_rated.texts[0].get_text() == "untrained: 41.5"
    dotted = [line for line in gru_rated.lines if line.get_linestyle() == ":"]
    assert [line.get_xdata().tolist() for line in dotted] == [[1, 4, 8]]
    for panel in figure.axes:
        assert [t.get_text() for t in panel.get_xticklabels()] == ["1", "2", "4", "8"]
    # The selected model is bold, and gray behind the other network's curves.
    wide = [max(panel.lines, key=lambda line: line.get_linewidth()) for panel in (gru, lstm)]
    assert [line.get_color() for line in wide] == [BLUE, figure4.GRAY]
    np.testing.assert_allclose(wide[1].get_ydata(), [curve[epoch] for epoch in epochs])
    # The paper's value, if it reports one.
    dashed = [line.get_ydata()[0] for line in lstm_rated.lines if line.get_linestyle() == "--"]
    assert dashed == [70.25] and "paper\n70.2" in [text.get_text() for text in lstm_rated.texts]
    assert not [line for line in gru.lines if line.get_linestyle() == "--"]


def test_of_the_paper_the_same_numbers_are_drawn_as_in_its_tables(tmp_path):
    rows = [("measured", "1k", 1, 1), ("reported", "1k-folds", 2, 2), ("reported", "1k", 60, 70)]
    recalls = ["caption_to_image_r10", "image_to_caption_r10"]
    table = pd.DataFrame(rows, columns=["source", "test_set", *recalls]).assign(dataset="flickr8k")
    both = [table.assign(model=name) for name in ("char-GRU", "Someone (2018)")]
    pd.concat(both).to_csv(tmp_path / "table2.csv")
    supplement = pd.concat([scores("a", 0.9), scores("char-GRU Flickr8k", 0.5), scores("BOW", 0.2)])
    source = np.where(supplement["system"] == "a", "measured", "reported")
    supplement.assign(source=source).to_csv(tmp_path / "s1.csv")
    described = models(tmp_path, ("flickr8k", "gru-8-max"))
    found = figure4.read_reported([tmp_path / "table2.csv", tmp_path / "s1.csv"], described)
    assert found["measure"].tolist() == ["training task", "semantic score"]
    # As above: the mean of 0.5 + 0.2 and 0.5 + 0.03 + 0.1.
    np.testing.assert_allclose(found["value"].astype(float), [65, 66.5])
    assert set(found["dataset"]) == {"flickr8k"} and figure4.read_reported([], described).empty


def test_networks_have_panels_and_models_colours_of_their_own(tmp_path):
    names = ["gru-8-attention", "gru-8-mean", "ran-8-attention", "words", "ngrams"]
    measured = pd.concat([retrieval("scenes", name, curve={0: 1, 4: 40}) for name in names])
    described = models_of(tmp_path, measured, words=BAG, ngrams={**BAG, "text": {"name": "ngrams"}})
    selected = {"scenes": ("words", 1)}
    figure = scores_by_epoch(by_epoch(measured, None), described, selected, NOTHING)
    titles = [panel.get_title("left") for panel in figure.axes]
    assert titles == ["GRU", "RAN", "bag (words)", "bag (ngrams)"]
    assert [list(curves(panel)) for panel in figure.axes] == [names[:2], *([n] for n in names[2:])]
    colours = {line.get_color() for line in figure.axes[0].lines if line.get_marker() != "None"}
    assert len(colours) == 2
    figure.draw_without_rendering()
    boxes = [panel.get_legend().get_window_extent() for panel in figure.axes]
    assert not [1 for a, b in pairwise(boxes) if a.overlaps(b)]


@pytest.mark.parametrize(
    ("last", "ticks"),
    [
        (0, ""),
        (1, "1"),
        (2, "1 2"),
        (20, "1 2 4 8 20"),  # 16 would touch 20
        (32, "1 2 4 8 16 32"),
        (48, "1 2 4 8 16 32 48"),
    ],
)
def test_figure4_has_a_tick_at_the_last_epoch(tmp_path, last, ticks):
    measured = retrieval("scenes", "gru-8-max", curve=dict.fromkeys(range(last + 1), 1.0))
    table = by_epoch(measured, None)
    described = models_of(tmp_path, measured)
    figure = scores_by_epoch(table, described, {"scenes": ("gru-8-max", 1)}, NOTHING)
    (panel,) = figure.axes
    assert [t.get_text() for t in panel.get_xticklabels()] == ticks.split()
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in panel.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_figure4_averages_seeds_on_a_logarithmic_axis(tmp_path):
    curve = {0: 1.0, 1: 20, 2: 30, 4: 40, 8: 46}
    measured = pd.concat(
        [
            retrieval("scenes", "gru-8-max", seed=1, curve=curve),
            retrieval("scenes", "gru-8-max", seed=2, curve={e: v + 2 for e, v in curve.items()}),
            retrieval("flickr8k", "gru-4-max", curve={0: 5.0, 1: 7.0}),
        ]
    )
    of_ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("scenes", "gru-8-max", 0.5, seed=1),
        trained("scenes", "gru-8-max", 0.3, seed=2),
        trained("flickr8k", "gru-4-max", 0.4),
    )
    selected = {"scenes": ("gru-8-max", 2), "flickr8k": ("gru-4-max", 1)}
    table = by_epoch(measured, semantic_measures(of_ratings))
    figure = scores_by_epoch(table, models_of(tmp_path, measured), selected, NOTHING)
    recall, semantic, one, _ = figure.axes  # panels of a single network are side by side
    [(_, values)] = curves(recall).values()
    assert values == [curve[epoch] + 1 for epoch in (1, 2, 4, 8)]
    # 0.4 times 0.7, 0.9, 0.8, and the same as above.
    [(_, values)] = curves(semantic).values()
    np.testing.assert_allclose(np.array(values)[[0, 2, 3]], [44.5, 52.5, 48.5])
    [(where, values)] = curves(one).values()
    assert where == [1, 4, 8] and values[0] == 7 and np.isnan(values[1:]).all()
    for panel in (recall, semantic):
        places = panel.transData.transform([(epoch, 1) for epoch in (1, 2, 4, 8)])[:, 0]
        np.testing.assert_allclose(np.diff(places), places[1] - places[0])  # equally far apart
