"""Any encoder, rated by the definitions that papers quote."""

import io
import os
import re
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, patch

import numpy as np
import pandas as pd
import pytest
import yaml
from pandas.testing import assert_frame_equal
from scipy import stats
from scipy.sparse import csr_array
from scipy.special import logsumexp

import reproduction  # noqa: F401, makes the study's parts known
from groundvec import baselines, evaluate
from groundvec.data import sts_archives
from groundvec.evaluation import score_table, significance
from groundvec.evaluation.correlation import cosine
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.evaluation.ranks import ranks as all_ranks
from groundvec.similarity import unit
from tests.support import public_files, sts_files
from tests.support.commands import run_here
from tests.support.rated_pairs import SENTEVAL, encoder, frozen
from tests.support.refusals import refused
from tests.support.tables import cells, row_of


@pytest.fixture(scope="module")
def made_up():
    """The frozen pairs in place of the public ones, and the scores of their vectors."""
    pairs, vectors = frozen()
    every = pairs[(pairs["split"] == "test") | (pairs["task"] == "SICK")].assign(split="test")
    both = {"SentEval": pairs, "MTEB": every.reset_index(drop=True)}

    def rate(encode, **options):
        with patch.object(evaluate, "read_rated", lambda tasks, folders: both):
            return evaluate.ratings(encode, **options)

    noise = np.random.RandomState(0).standard_normal(vectors.shape).astype(np.float32)
    return SimpleNamespace(
        pairs=pairs,
        vectors=vectors,
        noise=noise,
        rate=rate,
        result=rate(encoder(vectors)),
        worse=rate(encoder(vectors + noise)),
    )


@pytest.fixture
def folders(tmp_path):
    return sts_files.write(tmp_path / "rated", sts_files.small(False))


# Ratings


def test_numbers_are_senteval_s(made_up):
    for task, subtask, statistic, method, *expected in SENTEVAL:
        key = {"task": task, "subtask": subtask, "statistic": statistic}
        found = row_of(made_up.result.scores, **key, definition=f"SentEval {method}")
        tolerance = 1e-5 if method == "classifier" else 1e-6  # which depends on torch's build
        correlations = [found["pearson"], found["spearman"]]
        assert correlations == pytest.approx([*map(float, expected)], abs=tolerance)


def test_mteb_s_numbers_are_of_all_pairs_of_a_task_by_their_cosines(made_up):
    encode = encoder(made_up.vectors)
    mteb = made_up.result.scores.query("definition == 'MTEB cosine'")
    assert mteb["task"].tolist() == ["STS 2012", "STS 2013", "SICK"]
    for task, pairs_of_task in {"STS 2012": 150, "SICK": 470}.items():  # of SICK, every split
        own = made_up.pairs[made_up.pairs["task"] == task]
        cosines = cosine(encode(own["sentence_a"]), encode(own["sentence_b"]))
        found = row_of(mteb, task=task)
        assert found["pairs"] == len(own) == pairs_of_task
        assert found["spearman"] == pytest.approx(stats.spearmanr(cosines, own["rating"])[0])


def test_each_definition_has_its_own_sentences_and_pairs(folders):
    """MTEB's of SICK are of every split."""
    both = evaluate.read_rated(["STS 2012", "SICK"], folders)
    found = {
        name: (pairs["sentence_a"].iloc[0], pairs.loc[pairs["task"] == "SICK", "split"].tolist())
        for name, pairs in both.items()
    }
    splits = ["train"] * 2 + ["dev"] * 2 + ["test"] * 2
    expected = {"SentEval": ("a msrpar 's 12 .", splits), "MTEB": ("A MSRpar's 12.", ["test"] * 6)}
    assert found == expected
    assert all(set(pairs["task"]) == {"STS 2012", "SICK"} for pairs in both.values())


def test_an_encoder_is_a_function_or_has_a_method(folders):
    rate = partial(evaluate.ratings, tasks=["STS 2013"], folders=folders)
    trigrams = baselines.load("trigrams")
    function = Mock(spec=[], side_effect=lambda sentences: trigrams.encode(sentences).tolist())
    result = rate(function)
    function.assert_called_once_with(evaluate.sentences(["STS 2013"], folders))
    assert_frame_equal(result.scores, rate(trigrams, tasks=["STS13"]).scores)
    spearman = 100 * result.scores.set_index("definition").loc["MTEB cosine", "spearman"]
    _, mteb, minilm, *_ = repr(result).splitlines()
    assert mteb == f"MTEB, cosine, Spearman, unweighted mean of 1 task: {spearman:.1f}"
    assert minilm == "  all-MiniLM-L6-v2, as published: 80.6"


def test_without_torch_all_but_the_classifier_is_the_same(folders, monkeypatch, caplog):
    rate = partial(evaluate.ratings, tasks=["STS 2013", "SICK"], folders=folders)
    trigrams = baselines.load("trigrams")
    usual = rate(trigrams, captions=["A kid"])
    monkeypatch.setitem(sys.modules, "groundvec.evaluation.relatedness", None)
    encode = Mock(spec=[], side_effect=trigrams.encode)
    without = rate(encode, captions=["A kid"])
    assert "the classifier of SICK is left out" in caplog.text
    # A file of vectors may have been made where torch is, or is not.
    encode.assert_called_once_with(evaluate.sentences(["STS 2013", "SICK"], folders))
    keys = ["task", "subtask", "definition", "statistic"]
    expected, scores = (result.scores.set_index(keys).sort_index() for result in (usual, without))
    assert_frame_equal(scores, expected.drop(index="SentEval classifier", level="definition"))
    with refused("only one of the two systems has a classifier for SICK"):
        evaluate.compare(usual, without)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"encode": "flickr8k"}, "'flickr8k' is no encoder: give a function"),
        ({"tasks": ["STS 12"]}, "there is no task 'STS 12': choose from 'STS 2012', "),
        ({"tasks": "SICK"}, "tasks is 'SICK': give it as Collection"),
        ({"encode": lambda s: np.ones((1, 3))}, "result: 1 rows for 8 sentences"),
        ({"encode": lambda s: np.full((len(s), 3), np.inf, "f2")}, "float16 ends at 65,504"),
    ],
)
def test_ratings_names_invalid_arguments(folders, given, said):
    usual = {"encode": baselines.load("trigrams"), "tasks": ["STS 2013"], "folders": folders}
    with refused(said):
        evaluate.ratings(**usual | given)


def test_pairs_with_a_training_caption_are_counted_and_left_out(made_up):
    """The tests of `evaluation.overlap` check the scores without these pairs."""
    videos = made_up.pairs[made_up.pairs["subtask"] == "MSRvid"]
    one = videos.iloc[0]
    both = videos.iloc[50]
    captions = [one.sentence_a.upper() + " .", both.sentence_a, both.sentence_b, "?!"]
    scores = made_up.rate(encoder(made_up.vectors), captions=captions).scores
    found = row_of(scores, subtask="MSRvid")
    assert (found["seen"], found["seen_both"]) == (2, 1)
    assert found["unseen_pearson"] != found["pearson"]
    assert row_of(scores, subtask="FNWN")["seen"] == 0


def test_the_rated_sentences_are_fetched_once(tmp_path, monkeypatch):
    """From a mirror of the nine public archives; then the cache is enough."""
    public_files.sts(tmp_path / "mirror/sts")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GROUNDVEC_MIRROR", str(tmp_path / "mirror"))
    sums = dict.fromkeys(("sha256", "size", "md5"))  # the recorded checksums are the real files'
    real = sts_archives.fetch

    def fetch(name, source, *more):
        real(name, source | sums, *more)

    monkeypatch.setattr(sts_archives, "fetch", fetch)
    texts = evaluate.sentences(["SICK"])
    assert "A Kid" in texts
    fetched = {path.name for path in (tmp_path / "cache/groundvec/sts").iterdir() if path.is_dir()}
    # As the public archives are unpacked; of the other tasks, nothing.
    assert fetched == {"sick_train", "sick_trial", "sick_test_annotated"}
    monkeypatch.delenv("GROUNDVEC_MIRROR")
    monkeypatch.setattr(sts_archives, "fetch", None)
    assert evaluate.sentences(["SICK"]) == texts


# Retrieval


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
def test_retrieval_has_ranks_recalls_and_their_intervals(similarity):
    rng = np.random.default_rng(3)
    images = rng.normal(size=(20, 6))
    image = rng.permutation(np.repeat(np.arange(20), rng.integers(1, 4, 20)))
    captions = images[image] + 2 * rng.normal(size=(len(image), 6))
    captions *= rng.uniform(0.2, 5, (len(image), 1))
    result = evaluate.retrieval(captions, images, image, similarity=similarity)
    if similarity == "cosine":
        captions = unit(captions)
        images = unit(images)
    expected = all_ranks(captions, images, image, similarity)
    images_of_queries = (image, np.arange(20))
    for direction, ranks, of_image in zip(DIRECTIONS, expected, images_of_queries, strict=True):
        found = row_of(result.scores, direction=direction)
        own = result.items[result.items["direction"] == direction]
        assert own["rank"].tolist() == ranks.tolist()
        for k in (1, 5, 10):
            share = (ranks <= k).mean()
            assert found[f"r{k}"] == pytest.approx(100 * share)
            # The variance of a ratio of sums over images.
            sums = [(ranks[of_image == row] <= k) - share for row in range(20)]
            variance = sum(deviations.sum() ** 2 for deviations in sums) / len(ranks) ** 2
            queries = share * (1 - share) / variance if variance else len(ranks)
            for end in (found[f"r{k}_low"] / 100, found[f"r{k}_high"] / 100):  # Wilson's solve this
                half = 1.96 * (end * (1 - end) / queries) ** 0.5
                assert abs(share - end) == pytest.approx(half, abs=1e-6)
        assert found["median_rank"] == np.median(ranks) and found["queries"] == len(ranks)
        assert found["mean_rank"] == pytest.approx(ranks.mean())
    assert set(result.scores["captions_per_image"]) == {"1 to 3"}


@pytest.mark.parametrize("b", [0.1, 8, 1000])
def test_a_bank_normalizes_cosines_of_vectors_of_any_length(b, monkeypatch):
    """Smith et al. (2017): exp(b s(q, c)) divided by its sum over the bank's queries q'."""
    monkeypatch.setattr("groundvec.querybank.CANDIDATES_PER_BLOCK", 4)
    rng = np.random.default_rng(5)
    images = rng.normal(size=(20, 6))
    captions = rng.normal(size=(40, 6))
    bank = rng.normal(size=(30, 6)), rng.normal(size=(9, 6))
    result = evaluate.retrieval(captions, 5 * images, bank=bank, inverse_temperature=b)
    unit_captions, unit_images, of_captions, of_images = map(unit, (captions, images, *bank))
    near = b * unit_captions @ unit_images.T
    to_image = near - logsumexp(b * of_captions @ unit_images.T, axis=0)
    to_caption = near - logsumexp(b * unit_captions @ of_images.T, axis=1)[:, None]
    image = np.repeat(np.arange(20), 2)
    found = dict(iter(result.items.groupby("direction")["rank"]))
    assert found["caption_to_image"].tolist() == [
        1 + (row > row[own]).sum() for row, own in zip(to_image, image, strict=True)
    ]
    assert found["image_to_caption"].tolist() == [
        1 + (column[image != own] > column[image == own].max()).sum()
        for own, column in enumerate(to_caption.T)
    ]
    assert f"Bank: 30 and 9, inverse temperature {b}." in str(result)


def test_every_number_of_retrieval_names_its_protocol():
    same = np.ones((10, 3))
    result = evaluate.retrieval(np.ones((50, 3)), same, folds=2)
    first = result.scores.iloc[0]
    assert first[["test_set", "folds", "images"]].tolist() == ["5-folds", 2, 10]
    assert first["ties"] == "rank before the right one" and first["captions_per_image"] == "5"
    assert first["r10"] == 100 == first["r10_high"]  # an interval ends at 100
    # Within a fold: 5 images; 25 captions, 5 of them right.
    assert set(result.items["rank"]) == {5, 21}
    text = str(result)
    assert "Similarity: cosine" in text and "Folds: 2" in text


@pytest.mark.parametrize(
    "given, said",
    cells(r"""
    {captions: [7, 3]}                           | 7 captions cannot be shared equally by 4 images
    {captions: [2, 3]}                           | images: give the captions first, then the images
    {images: [4, 2]}                             | captions have 3 dimensions and images 2
    {similarity: L2}                             | there is no similarity 'L2': choose from cosine
    {folds: 3}                                   | folds is 3: it must be a whole .* images, 4
    {folds: 2.0}                                 | folds is 2.0: give it as int
    {image_of_caption: [0, 1]}                   | image_of_caption is int64 \(2,\)
    {image_of_caption: [0, 1, 2, 3, -1, 0, 1, 2]} | image -1 has no caption, or is not
    {bank: [[5, 3], [2, 3]], similarity: dot}    | a bank normalizes cosines, not dot
    {bank: [[5, 3], [2, 3]], inverse_temperature: 0} | inverse_temperature is 0
    {inverse_temperature: 5}                     | inverse_temperature is the bank's: pass a bank
    {bank: [[5, 3]]}                             | bank must be two arrays: the vectors of training
    {bank: [[5, 2], [2, 3]]}                     | the bank's captions have 2 dimensions and
    """),
)
def test_retrieval_names_invalid_arguments(given, said):
    """Captions, images and banks are given by their shapes."""
    arguments = {"captions": [8, 3], "images": [4, 3]} | yaml.safe_load(given)
    for name in ("captions", "images"):
        arguments[name] = np.ones(arguments[name])
    if "bank" in arguments:
        arguments["bank"] = tuple(map(np.ones, arguments["bank"]))
    with refused(said):
        evaluate.retrieval(**arguments)


def test_sparse_vectors_are_refused():
    with refused(r"a sparse matrix: pass captions.toarray\(\)"):
        evaluate.retrieval(csr_array(np.ones((8, 3))), np.ones((4, 3)))


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("factor", [1e-30, 1e37])
def test_retrieval_is_the_same_in_another_unit(similarity, factor):
    rng = np.random.default_rng(5)
    images = rng.normal(size=(40, 8)).astype(np.float32)
    captions = (np.repeat(images, 2, axis=0) + rng.normal(size=(80, 8))).astype(np.float32)
    usual = evaluate.retrieval(captions, images, similarity=similarity)
    by = np.float32(factor)
    scaled = evaluate.retrieval(by * captions, by * images, similarity=similarity)
    assert scaled.items["rank"].tolist() == usual.items["rank"].tolist()


def test_distances_far_from_the_origin_are_not_lost(caplog):
    rng = np.random.default_rng(5)
    images = rng.integers(-9, 9, (40, 8)).astype(np.float32)
    captions = np.repeat(images, 2, axis=0) + rng.integers(-3, 3, (80, 8))
    near, far = (
        evaluate.retrieval(captions + by, images + np.float32(by), similarity="euclidean")
        for by in (0, 100_000)
    )
    assert_frame_equal(near.items, far.items)
    assert not caplog.text
    evaluate.retrieval(captions + 100_000, images + 100_000)  # their cosines are all the same
    assert "of the captions another image scores as their own does" in caplog.text


def test_images_that_are_repeated_are_refused():
    """As VSE++ stores them: once for each caption."""
    rng = np.random.default_rng(0)
    images = rng.normal(size=(6, 3))
    captions = rng.normal(size=(30, 3))
    for repeated in (np.repeat(images, 5, axis=0), np.tile(images, (5, 1))):
        with refused(r"images have only \d different rows of"):
            evaluate.retrieval(captions, repeated)
    evaluate.retrieval(captions, images[[0, 0, 1, 2, 3]])  # two that are the same


def test_results_no_better_than_chance_cause_a_warning(caplog, made_up):
    rng = np.random.default_rng(0)
    images = rng.normal(size=(30, 8))
    captions = np.repeat(images, 2, axis=0)
    evaluate.retrieval(captions, images)
    made_up.rate(encoder(made_up.vectors))
    assert not caplog.text
    evaluate.retrieval(np.tile(images, (2, 1)), images)
    assert "no better than by chance: is the order of both the same?" in caplog.text
    made_up.rate(encoder(rng.permutation(made_up.vectors)))
    assert "are the vectors in the order of the sentences?" in caplog.text
    captions[3] = 0
    evaluate.retrieval(captions, images)
    assert "1 of 60 captions are vectors of zeros" in caplog.text


# Comparisons


def test_ratings_are_compared_by_williams_test_and_holm_s_correction(made_up):
    a = made_up.result
    b = made_up.worse
    rows = evaluate.compare(a, b)
    expected = significance.compare(a.items, b.items)
    tests = rows[:-1]
    [mean] = rows[-1:].to_dict("records")
    assert_frame_equal(tests[expected.columns], expected)
    assert tests["definition"].tolist() == ["SentEval cosine"] * 3 + ["SentEval classifier"]
    assert mean["subtask"] == "weighted mean" and 0 < mean["p"] < 0.05
    assert evaluate.compare(a, a)["p"].iloc[-1] == 1


def test_retrieval_is_compared_by_a_paired_bootstrap():
    rng = np.random.default_rng(1)
    images = rng.normal(size=(100, 8))
    captions = np.repeat(images, 2, axis=0) + 0.5 * rng.normal(size=(200, 8))
    good = evaluate.retrieval(captions, images)
    bad = evaluate.retrieval(captions + 2 * rng.normal(size=(200, 8)), images)
    rows = evaluate.compare(good, bad)
    for name, result in (("a", good), ("b", bad)):
        scores = result.scores.melt("direction", var_name="measure", value_name=name)
        expected = rows[["direction", "measure"]].merge(scores)[name].astype(float)
        assert rows[name].tolist() == pytest.approx(expected.tolist())
    assert (rows["low"] <= rows["difference"]).all() and (rows["p"] <= rows["p_holm"]).all()
    ranks = rows[rows["measure"] == "mean_rank"]
    assert (ranks["high"] < 0).all() and (ranks["p_holm"] < 0.05).all()
    assert ranks["p"].tolist() == pytest.approx([2 / 10_001] * 2)  # two sides, none of 10,000 draws
    same = evaluate.compare(good, good)
    assert (same["difference"] == 0).all() and (same["p"] == 1).all()
    # Images of two test sets are different images: each test set is compared as it is alone.
    sets = [result.items.assign(test_set="other") for result in (bad, good)]
    both = evaluate.compare(pd.concat([good.items, sets[0]]), pd.concat([bad.items, sets[1]]))
    numbers = ["queries", "a", "b", "difference", "low", "high"]
    alone = both[both["test_set"] != "other"]
    assert_frame_equal(alone[numbers], rows[numbers])
    with refused("not of the same queries"):
        evaluate.compare(good, evaluate.retrieval(captions, images, folds=2))
    with refused("not two results of the same kind"):
        evaluate.compare(good, good.scores)


def test_several_encoders_share_a_table_that_marks_the_best_where_a_test_shows_it(made_up):
    """Noise makes an encoder worse; a copy with little noise is no worse by any test."""
    alike = made_up.rate(encoder(made_up.vectors + made_up.noise / 1000))
    table = evaluate.table({"worse": made_up.worse, "good": made_up.result})
    good = table[table["encoder"] == "good"].set_index("task")
    assert good.index.tolist() == ["STS 2012", "STS 2013", "STS, weighted mean", "SICK"]
    assert good["best"].all() and not table["best"][table["encoder"] == "worse"].any()
    tests = evaluate.compare(made_up.result, made_up.worse).set_index(["task", "subtask"])["p"]
    assert good.loc["SICK", "p_holm"] >= tests["SICK", "Relatedness"]
    assert good.loc["STS, weighted mean", "p_holm"] >= tests["all", "weighted mean"]
    key = {"task": "STS 2012", "statistic": "weighted mean", "definition": "SentEval cosine"}
    assert good.loc["STS 2012", "pearson"] == row_of(made_up.result.scores, **key)["pearson"]
    latex = score_table.latex(score_table.encoder_texts(table), [], 1)
    assert re.search(r"\ngood( & \\textbf\{\d\d\.\d\}){4} \\\\\n", latex)
    assert not evaluate.table({"good": made_up.result, "alike": alike})["best"].any()
    with refused("two or more"):
        evaluate.table({"good": made_up.result})


# The command


def test_vectors_made_elsewhere_are_rated_like_an_encoder(
    groundvec, tmp_path, folders, monkeypatch, caplog
):
    caplog.set_level("INFO")
    monkeypatch.setattr("groundvec.runtime.progress.SECONDS_BETWEEN_LINES", 0)
    tasks = ("--tasks", "STS 2012", "STS 2013", "--folder", *folders)
    groundvec("evaluate", "sentences", *tasks, "-o", "all.txt")
    lines = (tmp_path / "all.txt").read_text().splitlines()
    assert lines == evaluate.sentences(["STS 2012", "STS 2013"], folders)
    np.save(tmp_path / "=v.npy", baselines.load("trigrams").encode(lines))
    options = ("=v.npy", *tasks)
    groundvec("evaluate", "ratings", *options, "-o", "scores.csv", "--predictions", "a.csv")
    written = pd.read_csv(tmp_path / "scores.csv")
    direct = evaluate.ratings(baselines.load("trigrams"), ["STS 2012", "STS 2013"], folders)
    assert_frame_equal(written[direct.scores.columns], direct.scores, check_dtype=False)
    assert set(written["encoder"]) == {"'=v.npy"} and "commit" in written
    assert "Correlations times 100" in groundvec("evaluate", "ratings", *options)
    printed = groundvec("evaluate", "compare", "a.csv", "a.csv", "-o", "compared.tex")
    assert "Williams" in printed and "written: compared.tex" in printed
    latex = (tmp_path / "compared.tex").read_text()
    assert (
        "Williams" in latex and "& A & B & A $-$ B & p" in latex and r" & 0.0 & 1.0000 \\" in latex
    )
    np.save(tmp_path / "noise.npy", np.random.default_rng(0).normal(size=(len(lines), 8)))
    groundvec("evaluate", "ratings", "noise.npy", *options, "-o", "table.tex")
    assert "rating: 1 of 2 encoders" in caplog.text
    latex = (tmp_path / "table.tex").read_text()
    assert "\nencoder & STS 2012 & STS 2013 & STS, weighted mean \\\\\n" in latex
    with refused("--captions are for one encoder"):
        groundvec("evaluate", "ratings", "noise.npy", *options, "--captions", "all.txt")
    groundvec("evaluate", "ratings", "noise.npy", *options, "-o", "table.csv")
    assert set(pd.read_csv(tmp_path / "table.csv")["encoder"]) == {"noise.npy", "'=v.npy"}
    (tmp_path / "captions.txt").write_text("a msrpar's 12\n")
    assert " seen" in groundvec("evaluate", "ratings", *options, "--captions", "captions.txt")
    full_pipe = patch("groundvec.cli.commands.evaluate.show", side_effect=BrokenPipeError)
    with full_pipe, pytest.raises((OSError, SystemExit)):
        groundvec("evaluate", "ratings", *options, "-o", "scores.md")  # piped into head
    assert (tmp_path / "scores.md").exists()
    np.save(tmp_path / "=v.npy", np.ones((3, 2)))
    with refused(f"=v.npy: 3 rows for {len(lines)} sentences; it must have a row for each line"):
        groundvec("evaluate", "ratings", *options)


def test_retrieval_of_two_files(groundvec, tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "images.npy", rng.normal(size=(10, 4)).astype(np.float16))
    np.save(tmp_path / "captions.npy", rng.normal(size=(20, 4)))
    np.save(tmp_path / "of.npy", np.repeat(np.arange(10), 2))
    files = ("captions.npy", "images.npy")
    assert "Similarity: cosine." in groundvec("evaluate", "retrieval", *files, "--ranks", "r.csv")
    assert [*pd.read_csv(tmp_path / "r.csv")] == ["test_set", "direction", "image", "rank"]
    groundvec("evaluate", "retrieval", *files, "--image-of-caption", "of.npy", "-o", "s.csv")
    scores = pd.read_csv(tmp_path / "s.csv")
    assert scores["counted"].nunique() == 2
    groundvec("evaluate", "compare", "r.csv", "r.csv", "-o", "c.csv")
    assert (pd.read_csv(tmp_path / "c.csv")["p_holm"] == 1).all()
    groundvec("evaluate", "compare", "r.csv", "r.csv", "-o", "c.md")
    compared = (tmp_path / "c.md").read_text()
    assert compared.startswith("| task | A | B | A - B | from | to | p |\n")
    assert re.search(r"\| Image retrieval, R@10 \| .* \| 0.0 \| 0.0 \| 0.0 \| 1.0000 \|", compared)
    groundvec("evaluate", "retrieval", *files, "-o", "s.tex")
    r1 = scores["r1"][0]
    latex = (tmp_path / "s.tex").read_text()
    assert f"Image retrieval & 10 & 20 & {r1:.1f} [" in latex
    assert "% Image retrieval: every caption is a query.\n" in latex
    bank = ("--bank", *files, "--inverse-temperature", "5")
    text = groundvec("evaluate", "retrieval", *files, *bank)
    assert "Bank: 20 and 10, inverse temperature 5." in text


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


HUGE = npy(np.ones((4, 3))).replace(b"(4, 3), }      ", b"(4, 999999999),}")
ARCHIVE = io.BytesIO()
np.savez(ARCHIVE, a=np.ones((3, 3)))


@pytest.mark.parametrize(
    "content, message",
    [
        (npy(np.array([[{}]], object), allow_pickle=True), r"bad\.npy is not a \.npy file of nu"),
        (HUGE, r"bad\.npy is not a \.npy file of numbers"),
        (npy(np.ones((400, 30)))[:-9], r"bad\.npy is not a \.npy file of numbers"),
        (npy(np.ones(3)), r"bad\.npy: float64 \(3,\); it must be numbers \(N, size\)"),
        (ARCHIVE.getvalue(), "it is an archive"),
        (None, r"bad\.npy is a folder, a FIFO or a device"),
    ],
)
def test_a_bad_file_of_vectors_is_one_line(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    np.save("good.npy", np.ones((2, 3)))
    if content is None:
        os.mkfifo("bad.npy")
    else:
        Path("bad.npy").write_bytes(content)
    with refused(message) as caught:
        run_here("evaluate", "retrieval", "bad.npy", "good.npy")
    assert "allow_pickle" not in str(caught.value)  # no error advises to run a file's code


PAIRS = "pair,task,subtask,rating,cosine,classifier\n"
RANKS = "test_set,direction,image,rank\n1k,caption_to_image,0,"


@pytest.mark.parametrize(
    "content, said",
    [
        ("a,b\n1,2\n", "has no column pair, task, .*, nor test_set, direction, image, rank: make"),
        (f"{RANKS}0\n", "line 2: rank is '0', less than 1"),
        (f"{PAIRS}0,T,S,1,3,\n", "line 2: cosine is '3', more than 1"),
    ],
)
def test_a_bad_file_of_items_is_one_line(tmp_path, content, said):
    (tmp_path / "bad.csv").write_text(content)
    (tmp_path / "good.csv").write_text(f"{RANKS}1\n")
    with refused(said):
        run_here("evaluate", "compare", tmp_path / "good.csv", tmp_path / "bad.csv")
