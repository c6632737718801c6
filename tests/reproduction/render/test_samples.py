"""Captions and pictures that a model finds, drawn as a figure."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from groundvec.evaluation.ranks import SAME
from groundvec.features import store
from groundvec.runtime.files import read_json, write_json
from reproduction.render import style
from reproduction.render.samples import retrieved, samples
from reproduction.reporting.embedded import Embedded, features_of
from reproduction.reporting.results import Results
from tests.support.examples import save_model
from tests.support.models import model
from tests.support.refusals import refused
from tests.support.result_files import write
from tests.support.retrieval_scores import training
from tests.support.small_data import data_options, run_script, write_data


@style.styled
def drawing():
    figure = Figure((2, 1))
    figure.subplots().set_title("Größe")
    return figure


def test_files_are_equal_when_figures_are_and_fonts_are_truetype(tmp_path):
    for name in ("one", "two"):
        style.save(drawing(), tmp_path / "v1.5" / name)
    for suffix in (".pdf", ".png", ".svg"):
        one, two = (tmp_path / "v1.5" / f"{name}{suffix}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    pdf = one.with_suffix(".pdf").read_bytes()
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf and b"CreationDate" not in pdf


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=15))
def test_retrieved_candidates_equal_sorting_by_hand(candidates):
    scores = np.array([score for score, _ in candidates], float)
    own = np.array([right for _, right in candidates])
    own[len(own) // 2] = True
    order = sorted(range(len(own)), key=lambda i: (-scores[i], own[i]))  # right ones last in a tie
    expected = [(rank, i, own[i]) for rank, i in enumerate(order, 1)]
    right = [entry for entry in expected if entry[2]]
    expected = expected[:5] + ([right[0]] if right[0][0] > 5 else [])
    assert retrieved(scores, own, SAME) == expected


def test_wrong_candidates_before_a_right_one_do_not_depend_on_rounding():
    """Wrong candidates within a millionth of the right one's score precede it, as in retrieval."""
    own = np.array([True, False, False])
    for scores in ([0.5, 0.5 + 1e-7, 0.5 - 1e-7], [0.5, 0.5 - 1e-7, 0.5 - 1e-7]):
        found = retrieved(np.array(scores, np.float32), own, SAME)
        assert [right for _, _, right in found] == [False, False, True]


def test_samples_mark_right_answers(tmp_path):
    """Seven images on a circle; caption k is of image k, but lies where image 6 - k does."""
    captions = [f"Caption {k}" for k in range(7)]
    write_data(tmp_path, ["test"] * 7, [[caption] for caption in captions])
    angles = np.linspace(0, 1.5, 7)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ids = np.array([f"i{k}" for k in range(7)])
    embedded = Embedded(captions, np.arange(7), ids, vectors[::-1], vectors, "cosine")
    paths = pd.Series([str(tmp_path / f"{name}.png") for name in ids], ids)
    panels = samples(embedded, paths, count=9).axes
    texts = [text.get_text() for panel in panels for text in [panel.xaxis.label, *panel.texts]]
    ticks = [text for text in texts if text.startswith("✓")]
    # Caption 0 lies on image 6, so that its own is the last; caption 1 on image 5, so that only
    # image 0 is farther than its own; caption 3 on image 3; in between, ties decide.
    assert ticks.count("✓ 7") == 4  # captions 0 and 6, images 0 and 6
    assert ticks.count("✓ 6") == 4  # captions 1 and 5, images 1 and 5
    assert ticks.count("✓ 1") == 2  # caption 3, image 3
    assert len(ticks) == 14


@pytest.fixture
def trained(tmp_path):
    """Return the folder of an untrained network as a training's only snapshot; write its data."""
    text = "Picture {}, time {}, costs $5 \\frac_ or $10 🐶"
    captions = [[text.format(image, k) for k in range(6)] for image in range(7)]
    write_data(tmp_path, ["dev", *["test"] * 6], captions)
    folder = tmp_path / "models" / "scenes" / "gru-8-attention" / "seed1"
    features = store.attributes(tmp_path / "features.h5")
    save_model(folder, model(), epochs=(0,), model="gru-8-attention", features=features)
    return folder


def test_images_have_the_same_numbers_for_models_of_any_language(trained, tmp_path):
    """The first of six test images, and its five captions, are not for a model of English."""
    captions = pd.read_csv(tmp_path / "captions.csv")
    captions.loc[captions["image_id"] == "i1", "language"] = "de"
    captions.to_csv(tmp_path / "captions.csv", index=False)
    options = data_options(tmp_path, "captions", "features")
    output = tmp_path / "scores"
    run_script("retrieval", "--model", trained, *options, "--threads", 1, "--output", output)
    ranks = pd.read_csv(tmp_path / "scores.ranks.csv")
    for _, own in ranks.groupby(["kind", "direction"]):
        assert own["image"].unique().tolist() == [1, 2, 3, 4, 5]


def test_a_gallery_that_lacks_a_file_or_has_several_data_sets_is_refused(trained, tmp_path):
    def gallery(*scores, folder=tmp_path):
        options = ["--models", trained / "model.json", "--retrieval"]
        options += write(tmp_path, *scores, name="retrieval")
        options += data_options(tmp_path, "captions", "images")
        options += data_options(folder, "features")
        run_script("gallery", *options, "--output", tmp_path / "gallery.json")

    measured = training("scenes", "gru-8-attention")
    gallery(measured)
    with refused("shows one data set"):
        gallery(measured, training("flickr8k", "gru-8-attention"))
    other = tmp_path / "other"
    other.mkdir()
    write_data(other, ["test"] * 7, [["A caption"]] * 7, width=3)
    message = r"scenes/gru-8-attention/seed1 did not learn from .*other/features\.h5: pass the feat"
    with refused(message):
        gallery(measured, folder=other)

    pd.read_csv(tmp_path / "images.csv")[:3].to_csv(tmp_path / "images.csv", index=False)
    with refused(r"images\.csv lacks the image i3 \(4"):
        gallery(measured)
    captions = pd.read_csv(tmp_path / "captions.csv")
    captions[captions["split"] == "dev"].to_csv(tmp_path / "captions.csv", index=False)
    with refused("the data set has no test captions in language en"):
        gallery(measured)


def test_each_seed_is_shown_with_the_features_that_it_learned_from(trained, tmp_path):
    """If networks are tuned, each seed has features of its own."""
    files = [tmp_path / "features.h5"]
    for seed in (2, 3):
        folder = tmp_path / f"tuned-{seed}"
        folder.mkdir()
        write_data(folder, ["test"] * 7, [["A caption"]] * 7, width=8 + seed)
        files.append(folder / "features.h5")
    results = Results(features=files)
    for seed, file in zip((1, 2, 3), files, strict=True):
        content = read_json(trained / "model.json") | {"features": store.attributes(file)}
        write_json(trained / "model.json", content)
        row = pd.Series({"folder": trained, "dataset": "scenes", "model": "m", "seed": seed})
        assert features_of(results, row) == file
