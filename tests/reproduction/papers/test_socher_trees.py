"""Relations, sentences and trees of Socher et al. (2014)."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from groundvec.features import store
from groundvec.model.folder import ModelFolder
from groundvec.model.network import Model, load_model
from groundvec.results.frames import read_csv
from reproduction.papers.socher_2014 import (
    active_passive,
    figure3,
    labels,
    section_6_6,
    section_6_7,
)
from reproduction.text import treebank
from reproduction.text.forms import collapsed
from reproduction.text.trees import Text
from tests.support.examples import save_model
from tests.support.refusals import refused
from tests.support.result_files import assert_rows, read_table, shown
from tests.support.small_data import data_options, write_data
from tests.support.tree_files import REPORTED, results_of, run, tables, training, trees
from tests.support.treebanks import parsed as parse_by_hand


def test_nearness_of_the_passive_by_hand():
    active = np.array([[1, 0], [1, 0], [3, 0]], np.float32)
    passive = np.array([[1, 1], [0, 1], [4, 3]], np.float32)  # cosines √½, 0, 0.8
    exchanged = np.array([[2, 0], [3, 4], [4, 3]], np.float32)  # 1, 0.6, 0.8
    other = np.array([[2, 2], [0, 1], [3, 4]], np.float32)  # √½, 0, 0.6
    table = active_passive.closeness(active, passive, exchanged, other).set_index("measure")
    expected = read_table("""
        measure                       | one        | two | three
        its passive                   | 0.70710678 | 0   | 0.8
        roles exchanged               | 1          | 0.6 | 0.8
        roles exchanged, passive      | 0.70710678 | 0   | 0.6
        than roles exchanged          | 0          | 0   | 0.5
        than roles exchanged, passive | 0.5        | 0.5 | 1
    """).set_index("measure")
    assert list(table.index) == list(expected.index)
    mean = 100 * expected.mean(axis=1)
    half = 196 * expected.std(axis=1, ddof=0) / 3**0.5
    np.testing.assert_allclose(table, np.stack([mean, mean - half, mean + half], 1), atol=1e-4)


RELATIONS = read_table("""
    relation | seed | edges | share | norm
    det      | 1    | 980   | 98    | 31
    r0       | 1    | 10    | 1     | 20
    nsubj    | 1    | 9     | 0.9   | 5
    r1       | 1    | 1     | 0.1   | 1
    det      | 2    | 988   | 98.8  | 32
    r0       | 2    | 10    | 1     | 22
    poss     | 2    | 2     | 0.2   | 6
""").assign(dataset="draws", model="SDT", size=4, from_identity=1.0)


def test_relations_are_ordered_by_their_mean_norm_with_the_paper_s_places(tmp_path, monkeypatch):
    """The table has the largest norms, here one, and two more relations that the paper names."""
    found = section_6_7.over_seeds(RELATIONS)
    expected = """
        relation | norm | place | seeds
        det      | 31.5 | 1     | 2
        r0       | 21   | 2     | 2
        poss     | 6    | 3     | 1
        nsubj    | 5    | 4     | 1
        r1       | 1    | 5     | 1
    """
    assert_rows(found, expected)
    ends = found[["norm_low", "norm_high"]]
    assert ends.loc[0].tolist() == pytest.approx(stats.t.interval(0.95, 1, 31.5, 0.5))
    assert ends[2:].isna().all(axis=None)
    monkeypatch.setattr(section_6_7, "SHOWN", 1)
    section_6_7.write_norms(tmp_path / "t", found, read_csv(REPORTED / "section_6_7.csv"))
    rows = "1 | det | -\n3 | poss | 2\n4 | nsubj | 1\n"
    assert shown(tmp_path / "t.md", 0, 1, 2) == "# draws: SDT\n" + rows


@pytest.mark.parametrize("similarity", ["dot", "euclidean"])
def test_ranks_of_pairs_equal_counting(similarity):
    rng = np.random.default_rng(3)
    vectors = rng.integers(-2, 3, (23, 2)).astype(np.float32)  # with ties
    image = rng.permutation(np.repeat(np.arange(6), [1, 2, 3, 5, 5, 7]))
    verbs = rng.random(23) < 0.5

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
    both = section_6_6.BOTH
    one = section_6_6.ONE
    table = pairs_of(range(20), [one] * 4 + [both] * 14 + [both, one])
    found = section_6_6.measures(table).iloc[0]
    assert found.tolist()[:3] == [25, 50, 25]
    assert found[f"mean rank where {one}"] == (0 + 1 + 2 + 3 + 19) / 5
    assert np.isnan(found[f"mean rank where {section_6_6.NEITHER}"])
    # A pair that the bootstrap counts twice occurs twice.
    times = np.stack([np.arange(20) % 3, np.arange(20) % 2])
    again = [section_6_6.measures(table.loc[np.repeat(table.index, each)]) for each in times]
    found = section_6_6.measures(table, times)
    np.testing.assert_allclose(found, pd.concat(again))


def test_the_shares_of_one_seed_have_bootstrap_intervals_and_of_several_t_intervals():
    rng = np.random.default_rng(0)
    names = [section_6_6.BOTH, section_6_6.ONE, section_6_6.NEITHER]
    images = np.repeat(np.arange(60), 10)
    seeds = [
        pairs_of(rng.permutation(600), rng.choice(names, 600), images).assign(seed=seed)
        for seed in range(3)
    ]
    alone = section_6_6.shares(seeds[0])
    assert alone["seeds"].eq(1).all()
    # Independent pairs: the interval of a share is near the binomial one.
    half = 1.96 * (33 * 67 / 600) ** 0.5
    assert (alone["value_high"] - alone["value_low"])[0] / 2 == pytest.approx(half, rel=0.25)
    # Each seed of a draw has its own images.
    drawn = section_6_6.shares(pd.concat(seeds), test_to_train=0.25).set_index("measure")
    values = [section_6_6.measures(table)["difference (points)"][0] for table in seeds]
    half = stats.t.ppf(0.975, 2) * np.std(values, ddof=1) * (1 / 3 + 0.25) ** 0.5
    row = drawn.loc["difference (points)", ["value", "value_low", "value_high"]]
    mean = np.mean(values)
    assert row.tolist() == pytest.approx([mean, mean - half, mean + half])
    # Equal seeds of one data set vary by its images alone, as a single seed does.
    equal = section_6_6.shares(pd.concat([seeds[0].assign(seed=seed) for seed in range(3)]))
    assert equal["value"].tolist() == pytest.approx(alone["value"].tolist())
    lengths = [table["value_high"] - table["value_low"] for table in (equal, alone)]
    np.testing.assert_allclose(*lengths, rtol=0.05)


def parsed(noun, place, verb=True):
    """`The dog runs in the park .` with a verb, and `The dog in the park .` without, parsed."""
    with_verb = f"The 2 det DET\n{noun} 3 nsubj NOUN\nruns 0 root VERB\nin 3 prep ADP\n"
    without = f"The 2 det DET\n{noun} 0 root NOUN\nin 2 prep ADP\n"
    start, number = (with_verb, 4) if verb else (without, 3)
    end = f"the {number + 2} det DET\n{place} {number} pobj NOUN\n. {number - 1} punct PUNCT"
    return parse_by_hand(start + end)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Options of scripts/report.py: an untrained SDT-RNN as two seeds on draws, and its data."""
    folder = tmp_path_factory.mktemp("trained")
    nouns = ["dog", "cat", "man", "girl", "horse", "bird", "child", "bear"]
    places = ["park", "street", "water", "grass", "snow"]
    parses = [[parsed(noun, place, place != "grass") for place in places] for noun in nouns]
    trees_file = folder / "trees.conllu.gz"
    treebank.write(trees_file, "by hand", [tree for of_image in parses for tree in of_image])
    bank = treebank.Treebank([trees_file])
    captions = [[tree.text for tree in of_image] for of_image in parses]
    write_data(folder, ["train", "dev", *["test"] * 6], captions)
    texts = [caption for of_image in captions for caption in of_image]
    text = Text.build(texts, "by hand", "collapsed", "captions", 4, treebank=bank)
    parts = trees()
    parts["encoder"]["size"] = 4
    parts["text"]["parser"] = "by hand"
    options = results_of(folder, training("e", 10, 1), training("e", 10, 2), e=parts)
    for seed, path in enumerate(options[1:3], 1):
        torch.manual_seed(seed)
        model = Model(parts, {"en": text}, 12)
        about = {"dataset": "draws", "model": "e", "seed": seed, "draw": [1, 1, 4]}
        features = store.attributes(folder / "features.h5")
        save_model(path.parent, model, epochs=(4, 8), features=features, **about)
    options += data_options(folder, "captions", "images", "features")
    return [*options, "--treebanks", trees_file]


def test_norms_are_read_from_the_best_snapshots(trained, tmp_path):
    _, table = tables(tmp_path, "section_6_7", *trained, reported="section_6_7")
    table = table.set_index("relation")
    # Eight images with five captions; one caption has no verb, hence no subject.
    assert table["edges"].to_dict() == {"det": 80, "prep_in": 40, "nsubj": 32}
    models = [load_model(ModelFolder(Path(path).parent), 8) for path in trained[1:3]]
    place = models[0].texts["en"].relations.index("nsubj")
    matrices = [model.captions["en"].matrices[place].detach().numpy() for model in models]
    for column, origin in (("norm", 0), ("from_identity", np.eye(4))):
        expected = np.mean([np.sqrt(((matrix - origin) ** 2).sum()) for matrix in matrices])
        assert table.loc["nsubj", column] == pytest.approx(expected, rel=1e-5)
    assert table.loc["nsubj", "share"] == pytest.approx(100 * 32 / 152)


def test_pairs_of_each_seed_s_own_draw_are_marked_by_their_verbs(trained, tmp_path):
    run(*trained, "--output", tmp_path / "section_6_6")
    table = pd.read_csv(tmp_path / "section_6_6.csv")
    # Four images for each seed, with ten pairs each; pairs with the fourth caption lack a verb.
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
    shares = pd.read_csv(tmp_path / "section_6_6-shares.csv").set_index("measure")
    assert shares.loc["one has no verb, of all pairs (%)", "value"] == 40


def test_samples_of_the_sdt_rnn_are_drawn(trained, tmp_path):
    run(*trained, "--output", tmp_path / "samples")
    assert (tmp_path / "samples.pdf").exists()


def test_passives_are_embedded_by_the_best_snapshots(trained, tmp_path, monkeypatch):
    said = pd.DataFrame(
        [
            [f"The {noun} runs in the {place} ." for place in ("park", "street", "water", "snow")]
            for noun in ("dog", "cat", "man")
        ],
        columns=active_passive.SENTENCES,
    )
    monkeypatch.setattr(active_passive, "exchanges", lambda seed, size: said)
    # No parser is called "by hand": its trees are looked up.
    monkeypatch.setattr(treebank, "parse", treebank.Treebank([trained[-1]]).trees)
    parts, table = tables(tmp_path, "active_passive", *trained[:5], reported=None)
    [[row]] = parts.values()
    assert row[:3] == ["SDT-RNN", labels.MARGIN, "2"]
    cosines = []
    for path in trained[1:3]:
        model = load_model(ModelFolder(path.parent), 8)
        a, b = (model.encode_sentences(said[name].tolist()) for name in ("active", "passive"))
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        cosines.append(100 * np.mean((a * b).sum(axis=1) / lengths))
    assert table["value"][0] == pytest.approx(np.mean(cosines), abs=1e-4)


def test_the_sentence_of_median_length_is_drawn_with_all_words_and_relations():
    sentences = [parsed("dog", "park"), parsed("b", "park", verb=False), parsed("c", "park")]
    figure = figure3.drawing(collapsed(figure3.middle(sentences)))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {"the", "dog", "runs", "park", "nsubj", "prep_in", "det"} <= set(texts)


@pytest.mark.parametrize("item", ["section_6_6", "section_6_7", "figure3", "samples"])
def test_items_about_the_sdt_rnn_of_one_data_set_refuse_none_or_several(tmp_path, item):
    with refused("shows the SDT-RNN, but no model is one"):
        run(*results_of(tmp_path, training("d", 10)), "--output", tmp_path / item)
    if item != "section_6_7":
        both = [training("e", 10), training("e", 10, dataset="flickr8k")]
        with refused("pass the results of one of draws, flickr8k"):
            run(*results_of(tmp_path, *both), "--output", tmp_path / item)
