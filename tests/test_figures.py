import importlib
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from PIL import Image

from groundvec.errors import InputError
from groundvec.reporting import figures, results, semantics

ROOT = Path(__file__).parent.parent
REPORTED = ROOT / "resources" / "sts.csv"
PROVENANCE = dict.fromkeys(results.PROVENANCE, "x")
TASKS = {  # the pairs of each
    ("STS 2012", "MSRpar"): 750,
    ("STS 2012", "OnWN"): 200,
    ("STS 2016", "HDL"): 750,
    ("SICK", "Relatedness"): 4927,
}


def retrieval(dataset, cell, r10=50.0, seed=1, snapshots=()):
    """Scores of an ensemble, both ways `r10` give or take 3 and 4 on the development set.

    Snapshots, and chance, have the same scores.
    """
    rows = []
    models = [("chance", ""), *(("snapshot", str(k)) for k in snapshots), ("ensemble", "4+8")]
    for (model, epochs), split, (direction, interval) in product(
        models, ("dev", "test"), (("caption_to_image", 3), ("image_to_caption", 4))
    ):
        measures = {name: r10 for name in ("r1", "r5", "r10", "median_rank")}
        measures |= dict.fromkeys(("r1_ci", "r5_ci", "r10_ci"), interval)
        system = {"dataset": dataset, "cell": cell, "seed": seed}
        system |= {"model": model, "epochs": epochs}
        where = {"split": split, "test_set": "1k", "direction": direction, "queries": 100}
        rows.append(system | where | measures | PROVENANCE)
    return pd.DataFrame(rows)


def scores(system, r, model="baseline", epochs="", tasks=TASKS):
    """`r` on the first subtask and 0.01 more on each further one; the classifier has 0.1 more.

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
    names = ["dataset", "cell", "seed"]
    parts = system.split("/") if model != "baseline" else ["", "", ""]
    rows = [
        {"system": system, "model": model, "epochs": epochs, **dict(zip(names, parts, strict=True))}
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


def trained(dataset, cell, r, tasks=TASKS, seed=1):
    """Scores of a training: the ensemble has `r`, the untrained network half of it."""
    system = f"{dataset}/{cell}/seed{seed}"
    parts = [scores(system, r, "ensemble", "4+8", tasks)]
    parts += [
        scores(system, r * part, "snapshot", epoch, tasks)
        for epoch, part in (("0", 0.5), ("1", 0.7), ("4", 0.9), ("8", 0.8))
    ]
    return pd.concat(parts)


def similarities(system, model="ensemble", epochs="4+8", sizes=(("MSRpar", 4), ("OnWN", 4))):
    """The pairs of subtasks of STS 2012, and more of SICK; the first four have r = 0.8."""
    sizes = [*(("STS 2012", *size) for size in sizes), ("SICK", "Relatedness", 9)]
    rows = []
    for task, subtask, n in sizes:
        rows += [
            {"task": task, "subtask": subtask, "score": i % 5, "cosine": [0, 0.4, 0.2, 0.6][i % 4]}
            for i in range(n)
        ]
    table = pd.DataFrame(rows)
    classifier = np.where(table["task"] == "SICK", 3.0, np.nan)
    return table.assign(
        pair=range(len(table)), system=system, model=model, epochs=epochs, classifier=classifier
    )


def read(folder, reader, *tables):
    """What the reader makes of the tables as files, and the files."""
    paths = []
    for table in tables:
        paths.append(folder / f"{reader.__name__}-{len(paths)}.csv")
        table.to_csv(paths[-1], index=False)
    return reader(paths), paths


def history(folder, dataset, cell, dev_recall, seed=1):
    path = folder / dataset / cell / f"seed{seed}" / "history.csv"
    path.parent.mkdir(parents=True)
    table = pd.DataFrame({"epoch": range(len(dev_recall)), "dev_recall": dev_recall})
    table.to_csv(path, index=False)
    return path


def run(script, *arguments):
    module = importlib.import_module(f"scripts.{script}")
    module.main(module.parser.parse_args(list(map(str, arguments))))


def dots(container):
    """(x, y) of the markers, and the ends of their intervals."""
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
    ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("flickr8k", "gru-1024-attention", 0.5),
        trained("flickr8k", "gru-2048-max", 0.4),
        trained("flickr8k", "lstm-1024-attention", 0.6),
        trained("scenes", "gru-64-attention", 0.3),
        scores("trigrams", 0.9),
    )
    figure = figures.scores_by_size(measured, ratings)
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
        assert points[0, 0] < dots(panel.containers[1])[0][0, 0] < 0.5  # LSTM beside GRU
        assert panel.get_ylabel()
    np.testing.assert_allclose(dots(figure.axes[3].containers[0])[0][:, 1], [50])  # scenes


def test_seeds_stand_beside_each_other():
    measured = pd.concat(
        [retrieval("scenes", "gru-8-max", 40 + seed, seed) for seed in (1, 2, 3)]
        + [retrieval("scenes", "lstm-8-max", 40, 2)]
    )
    (panel,) = figures.scores_by_size(measured, None).axes
    gru, lstm = (dots(container)[0] for container in panel.containers)
    assert gru[:, 1].tolist() == [41, 42, 43]
    assert -0.5 < gru[0, 0] < gru[1, 0] < gru[2, 0] < lstm[0, 0] < 0.5
    assert panel.containers[0][0].get_marker() != panel.containers[1][0].get_marker()
    assert panel.containers[0][0].get_color() != panel.containers[1][0].get_color()


def test_without_ratings_only_the_training_task_is_drawn(tmp_path):
    measured, paths = read(
        tmp_path, results.read_retrieval, retrieval("scenes", "gru-64-attention", 20)
    )
    (panel,) = figures.scores_by_size(measured, None).axes
    np.testing.assert_allclose(dots(panel.containers[0])[0], [[0, 20]])
    run("figure2", "--retrieval", *paths, "--scores", "--output", tmp_path / "figure2")
    assert Image.open(tmp_path / "figure2.png").width == 680  # one column, 3.4 inches
    curve = history(tmp_path, "scenes", "gru-64-attention", [1.0, 20])
    run(
        *("figure4", "--retrieval", *paths, "--histories", curve),
        *("--scores", "--output", tmp_path / "figure4"),
    )
    assert Image.open(tmp_path / "figure4.png").width == 680


def test_a_model_without_ratings_is_named(tmp_path):
    ratings, _ = read(tmp_path, results.read_scores, trained("scenes", "gru-64-attention", 0.5))
    measured = pd.concat(
        [retrieval("scenes", "gru-64-attention"), retrieval("scenes", "gru-64-max")]
    )
    message = "there are no semantic scores of scenes/gru-64-max/seed1"
    with pytest.raises(InputError, match=message):
        figures.scores_by_size(measured, ratings)
    curve = results.read_histories([history(tmp_path, "scenes", "gru-64-max", [1.0])])
    with pytest.raises(InputError, match=message):
        figures.scores_by_epoch(curve, ratings, measured)


# Figure 3


def labels(figure):
    return [[t.get_text() for t in panel.get_yticklabels()] for panel in figure.axes]


def test_figure3_has_every_subtask_and_system(tmp_path):
    ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("flickr8k", "gru-8-attention", 0.5),
        trained("flickr8k", "lstm-8-attention", 0.9),  # not selected
        scores("trigrams", 0.4),
        scores("GloVe", 0.45),
    )
    reported = results.read_reported_sts(REPORTED)
    selected = {"flickr8k": ("gru-8-attention", 1)}
    figure = semantics.correlation_by_subtask(ratings, selected, reported)
    assert [panel.get_ylabel() for panel in figure.axes] == ["STS 2012", "STS 2016", "SICK"]
    assert labels(figure) == [
        ["MSRpar (750)", "OnWN (200)"],
        ["HDL (750)"],
        ["Relatedness (4,927)"],
    ]
    expected = {
        "gru-8-attention Flickr8k": (50, "filled"),
        "GloVe": (45, "filled"),
        "untrained gru-8-attention (floor)": (25, "dark"),
        "trigrams (floor)": (40, "dark"),
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
    np.testing.assert_allclose(bars[0, :, 0], [42.3 - 6.1, 42.3 + 5.7])  # as the supplement has it
    tops = [dots(found[label])[0][0, 1] for label in expected]
    assert tops == sorted(set(tops))  # below each other
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts() if t.get_text() != " "] == list(expected)


def test_figure3_fits_on_a_page_and_shrinks(tmp_path):
    reported = results.read_reported_sts(REPORTED)
    tasks = reported.drop_duplicates(["task", "subtask"]).set_index(["task", "subtask"])
    tasks = tasks["pairs"].to_dict()
    tables = [
        trained("flickr8k", "gru-8-attention", 0.5, tasks),
        scores("a", 0.3, tasks=tasks),
    ]
    ratings, _ = read(tmp_path, results.read_scores, *tables)
    selected = {"flickr8k": ("gru-8-attention", 1)}
    figure = semantics.correlation_by_subtask(ratings, selected, reported)
    rows = [row.split(" (")[0] for panel in labels(figure) for row in panel]
    assert rows == [subtask for _, subtask in tasks] and len(rows) == 26
    assert figure.get_size_inches()[0] == 7 and 6 < figure.get_size_inches()[1] < 9.5

    few = {("Scenes", "negation"): 50, ("Scenes", "roles"): 50}
    ratings, paths = read(
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
    small = semantics.correlation_by_subtask(ratings, {"scenes": ("gru-8-attention", 1)}, reported)
    assert labels(small) == [["negation (50)", "roles (50)"]]
    assert not [t for t in small.legends[0].get_texts() if "reported" in t.get_text()]


# Figure 4


def marked(line):
    """The epochs at which a curve has a marker."""
    return line.get_xdata()[line.get_markevery()].tolist()


def test_figure4_has_recall_of_all_epochs_beside_the_score_of_kept_ones(tmp_path):
    curve = [1.0, 20, 30, 35, 40, 42, 44, 45, 46]
    histories = results.read_histories(
        [
            history(tmp_path, "flickr8k", "gru-8-attention", curve),
            history(tmp_path, "flickr8k", "lstm-8-attention", curve[::-1]),
        ]
    )
    ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("flickr8k", "gru-8-attention", 0.5),
        trained("flickr8k", "lstm-8-attention", 0.4),
        scores("trigrams", 0.4),
    )
    measured = pd.concat(
        [
            retrieval("flickr8k", "gru-8-attention", 46, snapshots=[6, 8]),
            retrieval("flickr8k", "lstm-8-attention", 1, snapshots=[6, 8]),
        ]
    )
    figure = figures.scores_by_epoch(histories, ratings, measured)
    recall, semantic = figure.axes
    assert [p.get_title("left") for p in figure.axes] == ["training task", "semantic score"]
    assert recall.lines[0].get_xydata().tolist() == [[e, v] for e, v in enumerate(curve)]
    assert recall.lines[1].get_ydata().tolist() == curve[::-1]
    gru, lstm = semantic.lines
    assert gru.get_xdata().tolist() == [0, 1, 4, 8]
    # The mean of r + 0.2 on STS and r + 0.03 + 0.1 on SICK; r was 0.5 times 0.5, 0.7, 0.9, 0.8.
    np.testing.assert_allclose(gru.get_ydata(), [41.5, 51.5, 61.5, 56.5])
    np.testing.assert_allclose(lstm.get_ydata(), [36.5, 44.5, 52.5, 48.5])
    # Kept are snapshots with retrieval scores (6 and 8), and others with semantic scores.
    assert marked(recall.lines[0]) == marked(recall.lines[1]) == [0, 1, 4, 6, 8]
    assert marked(gru) == marked(lstm) == [0, 1, 4, 8]
    for panel in figure.axes:
        assert panel.lines[0].get_linewidth() > 2 * panel.lines[1].get_linewidth()
        assert [t.get_text() for t in panel.get_xticklabels()] == ["0", "1", "2", "4", "8"]
    (legend,) = figure.subfigs[0].legends
    texts = [t.get_text() for t in legend.get_texts()]
    assert texts == ["gru-8-attention (selected)", "lstm-8-attention"]
    assert legend.get_title().get_text() == "markers: kept snapshots"


@pytest.mark.parametrize(
    ("last", "ticks"),
    [
        (0, "0"),
        (1, "0 1"),
        (2, "0 1 2"),
        (20, "0 1 2 4 8 20"),  # 16 would touch 20
        (32, "0 1 2 4 8 16 32"),
        (48, "0 1 2 4 8 16 32 48"),
    ],
)
def test_figure4_has_a_tick_at_the_last_epoch(tmp_path, last, ticks):
    curve = results.read_histories([history(tmp_path, "scenes", "gru-8-max", [1.0] * (last + 1))])
    measured = retrieval("scenes", "gru-8-max", snapshots=[last])
    figure = figures.scores_by_epoch(curve, None, measured)
    (panel,) = figure.axes
    assert [t.get_text() for t in panel.get_xticklabels()] == ticks.split()
    assert marked(panel.lines[0]) == [last]
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in panel.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_figure4_averages_seeds_on_a_logarithmic_axis(tmp_path):
    curve = [1.0, 20, 30, 35, 40, 42, 44, 45, 46]
    paths = [
        history(tmp_path, "scenes", "gru-8-max", curve, 1),
        history(tmp_path, "scenes", "gru-8-max", [c + 2 for c in curve], 2),
        history(tmp_path, "flickr8k", "gru-4-max", [5.0]),
    ]
    ratings, _ = read(
        tmp_path,
        results.read_scores,
        trained("scenes", "gru-8-max", 0.5, seed=1),
        trained("scenes", "gru-8-max", 0.3, seed=2),
        trained("flickr8k", "gru-4-max", 0.4),
    )
    measured = [retrieval("scenes", "gru-8-max"), retrieval("flickr8k", "gru-4-max")]
    figure = figures.scores_by_epoch(results.read_histories(paths), ratings, pd.concat(measured))
    recall, semantic, one, _ = figure.axes
    assert recall.lines[0].get_ydata().tolist() == [c + 1 for c in curve]
    # 0.4 times 0.5, 0.7, 0.9, 0.8, and the same as above.
    np.testing.assert_allclose(semantic.lines[0].get_ydata(), [36.5, 44.5, 52.5, 48.5])
    assert one.lines[0].get_xydata().tolist() == [[0, 5]]
    for panel in (recall, semantic):
        places = panel.transData.transform([(epoch, 0) for epoch in (0, 1, 2, 4, 8)])[:, 0]
        np.testing.assert_allclose(np.diff(places), places[1] - places[0])  # equally far apart


def test_histories_without_retrieval_are_an_error(tmp_path):
    _, paths = read(tmp_path, results.read_retrieval, retrieval("scenes", "gru-8-max"))
    curve = history(tmp_path, "flickr8k", "gru-8-max", [1.0])
    with pytest.raises(InputError, match="--retrieval has no scores on flickr8k"):
        run(
            *("figure4", "--retrieval", *paths, "--histories", curve, "--scores"),
            *("--output", tmp_path / "figure4"),
        )
    assert not (tmp_path / "figure4.pdf").exists()


# Agreement


def test_agreement_has_a_dot_a_pair_of_the_selected_ensembles():
    table = pd.concat(
        [
            similarities("flickr8k/gru-8-max/seed1"),
            similarities("flickr8k/gru-8-max/seed1", "snapshot", "0").assign(cosine=0.9),
            similarities("flickr8k/gru-8-max/seed2").assign(cosine=0.9),
            similarities("scenes/lstm-8-max/seed3").assign(cosine=[*[0.5, 0.4, 0.3, 0.2] * 4, 1]),
        ]
    )
    selected = {"flickr8k": ("gru-8-max", 1), "scenes": ("lstm-8-max", 3)}
    figure = semantics.agreement(table, selected)
    assert figure.get_suptitle() == "STS 2012 / MSRpar"
    left, right = figure.axes
    assert left.lines[0].get_xydata().tolist() == [[0, 0], [1, 0.4], [2, 0.2], [3, 0.6]]
    # r = 0.8 by hand: deviations (-3, -1, 1, 3) / 2 and (-3, 1, -1, 3) / 10; n - 3 = 1, so that
    # the interval is tanh(1.0986 -+ 1.96).
    model, r = left.get_title("left").split("\n")
    assert model == "Flickr8k: gru-8-max, seed 1, n = 4"
    assert r.endswith(" 100 = 80.0 [-69.7, 99.6]")
    assert "scenes: lstm-8-max, seed 3, n = 4" in right.get_title("left")
    assert " 100 = -100.0 " in right.get_title("left")
    assert left.get_xlim()[0] <= 0 and left.get_xlim()[1] >= 5
    assert "cosine" in left.get_ylabel()
    chosen = semantics.agreement(table, selected, "SICK/Relatedness")
    assert len(chosen.axes[0].lines[0].get_xdata()) == 9
    assert "cosine" in chosen.axes[0].get_ylabel()


def test_the_largest_unsupervised_subtask_is_shown_unless_another_is_chosen():
    def default(*sizes):
        return semantics.subtask_of(similarities("a", sizes=sizes))

    assert default(("MSRpar", 4), ("OnWN", 6)) == ("STS 2012", "OnWN")
    assert default(("MSRpar", 4), ("OnWN", 4)) == ("STS 2012", "MSRpar")
    assert default() == ("SICK", "Relatedness")
    table = similarities("a")
    assert semantics.subtask_of(table, "STS 2012/OnWN") == ("STS 2012", "OnWN")
    known = "STS 2012/MSRpar, STS 2012/OnWN, SICK/Relatedness"
    with pytest.raises(InputError) as error:
        semantics.subtask_of(table, "STS 2012/Images")
    assert str(error.value) == f"there is no subtask 'STS 2012/Images': choose one of {known}"


def test_many_dots_make_a_small_pdf(tmp_path):
    sizes = [("MSRpar", 20_000)]
    _, paths = read(
        tmp_path,
        results.read_similarities,
        similarities("scenes/gru-8-max/seed1", sizes=sizes),
        similarities("trigrams", "baseline", "", sizes),
    )
    _, measured = read(tmp_path, results.read_retrieval, retrieval("scenes", "gru-8-max"))
    arguments = ("agreement", "--similarities", *paths, "--retrieval", *measured)
    run(*arguments, "--output", tmp_path / "agreement")
    assert (tmp_path / "agreement.pdf").stat().st_size < 100_000
    assert Image.open(tmp_path / "agreement.png").width == 680
    with pytest.raises(InputError, match="no similarities of scenes/gru-8-max/seed1"):
        run("agreement", "--similarities", paths[1], *arguments[4:], "--output", tmp_path / "no")
    assert not list(tmp_path.glob("no*"))
