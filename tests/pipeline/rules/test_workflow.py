"""The workflow as people run it: a tiny experiment with the real code in a copy of the project."""

import hashlib
import io
import json
import re
import shutil
import signal
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from groundvec import SentenceEncoder
from groundvec.features import store
from groundvec.runtime.files import sha256
from tests.support import forks
from tests.support.workflow import (
    NO_NETWORK,
    NOTHING,
    ROOT,
    SCENES,
    copy_project,
    environment,
    snakemake,
)

TINY = ("--configfile", "tests/tiny.yaml")
MODEL = "results/tiny/models/tiny-scenes/gru-32-attention/seed1"


def planned(project, *arguments):
    """The rules that a dry run would run."""
    output = snakemake(project, *TINY, "-n", *arguments)
    return set() if NOTHING in output else set(output.split("total ")[0].split()) & RULES


def nothing_to_do(project, *arguments):
    """Check that a dry run would run no rule at all."""
    output = snakemake(project, *TINY, "-n", *arguments)
    assert NOTHING in output and "Job stats" not in output, output[-3000:]


PAPER = "merkx_frank_2019"
ITEMS = ("table3", "table_s1", "section_4_3", "figure2", "figure3", "figure4")
RATED = {"rate", "baseline", *(f"{PAPER}_{item}" for item in ITEMS)}
RULES = RATED | {f"{PAPER}_table2", f"{PAPER}_samples"}
MADE_BEFORE = {"dataset_scenes", "ratings_scenes", "extract_features", "baseline"}  # training
RULES |= {*MADE_BEFORE, "train", "retrieval", "overlap", "card", "page"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("tiny"))
    snakemake(project, *TINY)
    return project


def test_one_command_makes_every_table_and_figure(built):
    results = built / "results/tiny" / PAPER
    made = {
        f"{p.parent.name}/{p.name}"
        for name in ("tables", "figures")
        for p in (results / name).iterdir()
    }
    figures = (*(f"figure{k}" for k in range(1, 5)), "samples-tiny-scenes")
    tables = ("table1", "table2", "snapshots", "table3", "section_4_3")
    tables += ("section_4_3_4", "claims", "table_s1", "table_s1-models", "table_s1-spearman")
    suffixes = ("csv", "html", "json", "md", "tex")
    assert made == {
        "tables/section_4_3-tests.csv",
        *(f"figures/{name}.{suffix}" for name in figures for suffix in ("pdf", "png", "svg")),
        *(f"tables/{name}.{suffix}" for name in tables for suffix in suffixes),
    }


def test_everything_is_on_one_page_as_well(built):
    page = (built / "results/tiny/report/index.html").read_text("utf-8")
    for paper in ("merkx_frank_2019", "socher_2014", "calixto_liu_2017", "ablation"):
        for table in (built / "results/tiny" / paper / "tables").glob("*.html"):
            assert f'id="{paper}-{table.stem}"' in page
        for figure in (built / "results/tiny" / paper / "figures").glob("*.svg"):
            assert f'<figure id="{paper}-{figure.stem}">' in page
    for dataset in ("tiny-scenes", "few", "both", "own", "tuned"):
        assert f'data-dataset="{dataset}"' in page


def test_an_ablation_s_learning_curves_are_drawn(built):
    figures = built / "results/tiny/ablation/figures"
    expected = {"learning.pdf", "learning.png", "learning.svg"}
    assert {path.name for path in figures.iterdir()} == expected


def test_a_tuned_network_computes_features_of_its_own(built):
    [folder] = (built / "results/tuned/tiny-scenes").iterdir()
    about = json.loads((folder / "tuned.json").read_text())
    assert about["sha256"] == sha256(folder / "tuned.pth")
    features = built / f"results/features/tiny-scenes/{folder.name}.h5"
    assert store.attributes(features)["weights_sha256"] == about["sha256"]


def test_translations_are_made_and_re_ranked(built):
    results = built / "results/tiny/calixto_liu_2017"
    tables = {path.stem for path in (results / "tables").iterdir()}
    assert tables == {"table1", "table2", "table3", "table4", "claims"}
    table = pd.read_csv(results / "tables/table4.csv")
    assert set(table["n_best"]) == {3}
    rerankers = ["baseline", "length", "VSE", "MLMME", "oracle"]
    assert table["reranker"].unique().tolist() == rerankers


def test_every_model_has_its_history_snapshots_ensemble_scores_and_card(built):
    for cell in ("gru-32-attention", "lstm-16-max"):
        for seed in (1, 2):
            model = built / f"results/tiny/models/tiny-scenes/{cell}/seed{seed}"
            assert pd.read_csv(model / "history.csv")["epoch"].tolist() == [0, 1, 2, 3, 4]
            kept = {path.name for path in (model / "snapshots").glob("*.safetensors")}
            assert kept == {f"epoch-{epoch:03}.safetensors" for epoch in range(5)}
            assert f"# {cell} (Scenes)" in (model / "README.md").read_text("utf-8")
            scores = built / f"results/tiny/retrieval/tiny-scenes/{cell}/seed{seed}.csv"
            scores = pd.read_csv(scores)
            assert set(scores["epochs"].fillna("")) == {
                "",
                "0",
                "1",
                "2",
                "3",
                "4",
                "2+4",
            }  # none is chance's
            assert scores[["configuration", "commit", "versions", "machine"]].notna().all(axis=None)
    assert not list((built / "results/checkpoints").rglob("checkpoint*.pt"))


def test_every_model_and_baseline_is_judged_by_the_ratings(built):
    folder = built / "results/tiny/ratings"
    pairs = pd.read_csv(built / "results/tiny/ratings/scenes.csv")
    model = built / "results/tiny/models/tiny-scenes/gru-32-attention/seed1"
    scores = pd.read_csv(folder / "models/tiny-scenes/gru-32-attention/seed1.csv")
    assert scores["epochs"].unique().tolist() == ["0", "1", "2", "3", "4", "2+4"]
    assert scores[["configuration", "commit", "versions", "machine"]].notna().all(axis=None)
    encoder = SentenceEncoder(model)
    swap = pairs[pairs["subtask"] == "Swap"]
    a, b = (
        encoder.encode(swap[side].tolist(), tokenized=True) for side in ("sentence_a", "sentence_b")
    )
    expected = np.corrcoef((a * b).sum(axis=1), swap["rating"])[0, 1]
    row = scores[(scores["subtask"] == "Swap") & (scores["kind"] == "ensemble")].iloc[0]
    assert row["pearson"] == pytest.approx(expected, abs=1e-6)
    predictions = pd.read_csv(folder / "models/tiny-scenes/gru-32-attention/seed1.predictions.csv")
    # The untrained network, the ends of the first and of the last cycle, one of them the best.
    assert set(predictions["epochs"]) == {"0", "2", "4", "2+4"}
    ranks = pd.read_csv(
        built / "results/tiny/retrieval/tiny-scenes/gru-32-attention/seed1.ranks.csv"
    )
    assert set(ranks["epochs"]) == {"0", "2", "4", "2+4"}
    assert len(predictions) == 4 * (pairs["split"] == "test").sum()
    of_few = pd.read_csv(folder / "models/few/SDT-RNN/seed1.csv")["epochs"]
    about = built / "results/tiny/models/few/SDT-RNN/seed1/ensemble.json"
    first, second = map(str, json.loads(about.read_text())["epochs"])
    assert of_few.unique().tolist() == ["0", first, second, f"{first}+{second}"]
    baseline = pd.read_csv(folder / "baselines/trigrams.csv")
    assert set(baseline["kind"]) == {"baseline"}
    assert set(baseline["encoder"]) == {"trigrams"}


@pytest.mark.parametrize("model", ["tiny-scenes/gru-32-attention", "few/SDT-RNN"])
def test_the_rated_pairs_that_hold_a_training_caption_are_counted_and_shown(built, model):
    results = built / "results/tiny"
    pairs = pd.read_csv(results / "ratings/scenes.csv").query("split == 'test'")
    captions = pd.read_csv(built / "results/datasets/tiny-scenes/captions.csv")
    captions = captions.query("split == 'train' and language == 'en'")
    about = json.loads((results / f"models/{model}/seed1/model.json").read_text())
    if "draw" in about:
        images = np.random.default_rng([1, 0]).choice(captions["image_id"].unique(), 12, False)
        captions = captions[captions["image_id"].isin(images)]
    texts = {re.sub("[^a-z]", "", text.lower()) for text in captions["caption"]}
    held = pairs[["sentence_a", "sentence_b"]].map(
        lambda text: re.sub("[^a-z]", "", text.lower()) in texts
    )
    expected = held.any(axis=1).groupby(pairs["subtask"]).sum()
    overlap = pd.read_csv(results / f"ratings/models/{model}/seed1.overlap.csv")
    subtasks = overlap[overlap["statistic"].eq("correlation") & overlap["kind"].eq("ensemble")]
    assert subtasks["seen"].tolist() == expected[subtasks["subtask"]].tolist()
    card = (results / f"models/{model}/seed1/README.md").read_text("utf-8")
    assert "seen pairs | Pearson without them |" in card
    assert ("among the rated sentences" in card) == (expected.sum() > 0)
    for file in (f"{PAPER}/tables/table_s1.md", "report/index.html"):
        assert "seen (tiny-scenes)" in (results / file).read_text("utf-8")


def test_the_report_has_a_panel_or_says_how_to_get_one(built):
    panel = (built / "results/tiny/report/tiny-scenes.try_it.html").read_text("utf-8")
    got = list((built / "data/onnxruntime_web").glob("*.tgz"))
    assert ('id="try-it"' if got else "install npm") in panel
    assert panel in (built / "results/tiny/report/index.html").read_text("utf-8")


def test_without_ratings_only_retrieval_is_evaluated(built):
    text = (built / "tests/tiny.yaml").read_text().partition("ratings:")[0]
    (built / "retrieval-only.yaml").write_text(
        text.replace("experiment: tiny", "experiment: other")
    )
    plan = snakemake(built, "--configfile", "retrieval-only.yaml", "-n")
    assert "retrieval" in plan and "ratings_scenes" not in plan and f"{PAPER}_figure3" not in plan


def test_german_models_have_no_tables_of_english_ratings(built):
    data = SCENES.replace("{", "{language: de, ", 1)
    text = f"experiment: german\ndatasets: {{one: {data}}}\nratings: {{source: scenes}}\n"
    (built / "german.yaml").write_text(text)
    plan = snakemake(built, "--configfile", "german.yaml", "-n")
    assert f"{PAPER}_table2" in plan and "rule rate" not in plan and "table_s1" not in plan


def test_a_second_run_has_nothing_to_do_nor_has_one_after_a_fresh_checkout(built):
    nothing_to_do(built)
    for path in built.rglob("*"):
        if path.is_file() and not {"data", "results", ".snakemake"} & set(path.parts):
            path.touch()
    nothing_to_do(built)
    (built / "elsewhere").mkdir()
    nothing_to_do(built, "--config", "mirror=elsewhere")


@pytest.mark.parametrize(
    ("file", "rerun"),
    [
        (
            "reproduction/render/style.py",
            {f"{PAPER}_{n}" for n in ("figure2", "figure4", "samples")},
        ),
        ("groundvec/card/card.py", {"card"}),
        ("groundvec/evaluation/overlap.py", {"overlap", "card", f"{PAPER}_table_s1"}),
        ("groundvec/objectives/hinge.py", RULES - MADE_BEFORE),
        ("groundvec/encoders/bag.py", {"page"}),  # whose panel has an exported encoder
        ("groundvec/runtime/progress.py", set()),
        ("groundvec/sources/karpathy.py", set()),
        ("groundvec/evaluation/ranks.py", RULES - MADE_BEFORE),
        ("groundvec/evaluation/retrieval.py", {"retrieval", "card"}),
        ("groundvec/evaluation/relatedness.py", RATED),
        ("groundvec/baselines/trigrams.py", RATED - {"rate"}),
    ],
)
def test_a_change_of_code_computes_again_what_depends_on_it(built, file, rerun):
    path = built / file
    before = path.read_bytes()
    path.write_bytes(before + b"CHANGED = True\n")
    try:
        if not rerun:
            return nothing_to_do(built)
        again = planned(built)
        assert again >= rerun and not again & ({"train", "rate"} - rerun)
    finally:
        path.write_bytes(before)


@pytest.mark.parametrize(
    ("file", "old", "new", "rerun"),
    [
        ("groundvec/encoders/rnn.py", '"""A GRU or', '"""The GRU or', set()),
        (f"reproduction/papers/{PAPER}/__init__.py", '"""', '"""A remark. ', set()),
        ("CITATION.cff", "issue: 4", "issue: 5", {"card"}),
        ("groundvec/encoders/rnn.yaml", "", "limits: It is slow.\n", {"card"}),
    ],
)
def test_what_words_compute_again(built, file, old, new, rerun):
    """A comment or a docstring nothing; what a card says, the cards."""
    path = built / file
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new, 1))
    try:
        if rerun:
            assert planned(built) == rerun
        else:
            nothing_to_do(built)
    finally:
        path.write_text(before)


def test_every_value_in_a_command_is_quoted():
    for path in sorted((ROOT / "rules").glob("*.smk")):
        text = path.read_text()
        assert "$(" not in text
        commands = re.findall(r'shell:\n((?:\s*(?:["\'].*["\']|#.*)\n)+)', text)
        assert len(commands) == text.count("shell:"), path.name
        for command in commands:
            unquoted = [name for name in re.findall(r"{(.*?)}", command) if not name.endswith(":q")]
            assert not unquoted, f"{path.name}: {command}"


def test_the_report_is_one_page_with_the_figures(built):
    snakemake(built, *TINY, "--report", "report.html")
    page = (built / "report.html").read_text()
    assert "figure2.png" in page and "samples-tiny-scenes.png" in page and "table2.html" in page
    assert "table_s1-models.html" in page


def training(output, work):
    """The words of a command, without python."""
    described = (
        "{languages: [en], encoder: {name: rnn, cell: gru, size: 32}, "
        "training: {batch_size: 16, epochs: 16, cycle: 8}}"
    )
    command = ["scripts/train.py", "--description", described, "--seed", "7"]
    command += ["--name", "gru", "--dataset", "tiny-scenes"]
    command += ["--captions", "results/datasets/tiny-scenes/captions.csv", "--threads", "1"]
    command += ["--features", "results/features/tiny-scenes/efficientnet_lite0.h5"]
    command += ["--texts", "results/text/tiny-scenes/characters.en.json"]
    return [*command, "--work", str(work), "--output", str(output)]


def test_a_training_killed_and_started_again_ends_in_the_same_weights(built, tmp_path):
    here = {"cwd": built, "env": environment() | {"PYTHONPATH": str(built)}}
    whole = forks.run(*training(tmp_path / "whole", tmp_path / "a"), **here)
    assert whole.returncode == 0
    command = training(tmp_path / "killed", tmp_path / "b")
    killed = subprocess.Popen([sys.executable, *command], **here, stderr=subprocess.PIPE, text=True)
    for line in killed.stderr:
        if "epoch 3/16" in line:
            killed.send_signal(signal.SIGKILL)
            break
    assert killed.wait(60) == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    again = forks.run(*command, **here)
    assert again.returncode == 0
    assert "resumes after epoch" in again.stderr and "epoch 1/16" not in again.stderr
    for path in sorted((tmp_path / "whole/snapshots").iterdir()):
        assert path.read_bytes() == (tmp_path / "killed/snapshots" / path.name).read_bytes()


# Bad input


def test_a_training_of_two_names_is_done_once(built):
    """Two jobs of one training would wait for each other's lock; so the second comes after."""
    once = "models: [gru-8-max], training: {epochs: 1, cycle: 1}"
    text = f"""
experiment: twin
datasets:
  one: {{source: scenes, count: 40, backbone: efficientnet_lite0, {once}}}
  two: {{of: one, {once}, seeds: [1, 2]}}
"""
    (built / "twin.yaml").write_text(text)
    plan = snakemake(built, "--configfile", "twin.yaml", "-n")
    inputs = {
        name: files
        for files, name in re.findall(
            r"rule train:\n    input: (.*)\n    output: results/twin/models/(\S+)/model.json", plan
        )
    }
    first = "results/twin/models/one/gru-8-max/seed1/model.json"
    assert first in inputs["two/gru-8-max/seed1"]
    assert "model.json" not in inputs["two/gru-8-max/seed2"] + inputs["one/gru-8-max/seed1"]


def test_a_network_more_extracts_its_features_alone(tmp_path):
    project = copy_project(tmp_path)

    def features(*names):
        data = {"source": "scenes", "count": 40, "backbone": list(names), "crops": 1}
        datasets = {"scenes": {**data, "models": ["gru-8-max"]}}
        text = json.dumps({"experiment": "several", "datasets": datasets})
        (project / "several.json").write_text(text)
        target = f"results/features/scenes/{'+'.join(names)}.h5"
        return snakemake(project, target, "--configfile", "several.json"), project / target

    lite = [f"efficientnet_lite{number}" for number in range(2)]
    alone = features(lite[0])[1].read_bytes()
    output, file = features(*lite)
    extracted = re.findall(r"rule extract_features:\n(?:.*\n)*?    output: (.*)", output)
    assert extracted == [f"results/features/scenes/{lite[1]}.part0-of-1.h5"]
    assert (project / f"results/features/scenes/{lite[0]}.h5").read_bytes() == alone
    assert store.attributes(file)["width"] == 2 * 1280
    assert NOTHING in features(*lite)[0]


def test_without_network_or_mirror_one_line_says_where_to_get_the_file(built):
    target = "data/flickr8k/Flickr8k_text.zip"
    options = ("--configfile", "config/flickr8k.yaml")
    output = snakemake(built, target, *options, fails=True, **NO_NETWORK)
    error = next(line for line in output.splitlines() if line.startswith("error: "))
    assert target in error and "https://" in error


MINE = ("--configfile", "config/mine.yaml")
ROWS = "".join(f"{i}.jpg,Picture number {i}.\n" for i in range(20))


@pytest.fixture(scope="module")
def mine(built):
    """Somebody's own pictures, of which two are bad at first."""
    photos = built / "my/photos"
    photos.mkdir(parents=True)
    for i in range(20):
        Image.new("RGB", (300, 260), (10 * i, 90, 50)).save(photos / f"{i}.jpg")
    (photos / "3.jpg").write_bytes(b"")
    (photos / "5.jpg").write_text("not a picture")
    (built / "my/captions.csv").write_text("image,caption\n" + ROWS)
    (built / "config/mine.yaml").write_text(
        "experiment: mine\ndatasets: {mine: {source: table, table: my/captions.csv, "
        "images: my/photos, backbone: efficientnet_lite0, models: [gru-8-max], "
        "training: {epochs: 1, cycle: 1, batch_size: 4}}}\n"
    )
    output = snakemake(built, *MINE, fails=True)
    assert "2 of 20 images" in output and "3.jpg" in output and "5.jpg" in output
    assert not (built / "results/features/mine").exists() or not list(
        (built / "results/features/mine").iterdir()
    )
    for name in ("3.jpg", "5.jpg"):
        Image.new("L", (300, 260), 77).save(photos / name)
    snakemake(built, *MINE)
    return built


FEATURES_LOG = "results/logs/features/mine/efficientnet_lite0.part0-of-1.log"
TRAIN_LOG = "results/mine/logs/train/mine/gru-8-max/seed1.log"


def test_bad_pictures_are_reported_together_and_the_others_kept(mine):
    assert (mine / "results/mine/merkx_frank_2019/tables/table2.md").exists()
    assert "20 images, 18 of them done before" in (mine / FEATURES_LOG).read_text()
    assert not (
        mine / "results/mine/merkx_frank_2019/figures/figure2.png"
    ).exists()  # of a single model


def test_what_nobody_lists_changes_nothing(mine):
    (mine / "my/photos/.DS_Store").touch()
    (mine / "my/photos/stray.jpg").touch()
    assert NOTHING in snakemake(mine, *MINE, "-n")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("table: my/caption.csv", "there is no file my/caption.csv; did you mean my/captions.csv?"),
        ("language: de", "the data set has no captions in 'de'; it has: en"),
    ],
)
def test_a_mistake_is_not_hidden_by_results_that_exist(mine, wrong, error):
    output = snakemake(mine, *MINE, "--config", f"datasets={{mine: {{{wrong}}}}}", fails=True)
    assert error in output and "Traceback" not in output and NOTHING not in output


def test_a_typo_in_the_table_and_its_correction_compute_nothing_again(mine):
    table = mine / "my/captions.csv"
    table.write_text("image,caption\n" + ROWS.replace("Picture number 7.", ""))
    output = snakemake(mine, *MINE, fails=True)
    assert "my/captions.csv line 9: the caption is empty" in output
    assert (mine / "results/datasets/mine/captions.csv").exists()
    table.write_text("image,caption\n" + ROWS)
    assert NOTHING in snakemake(mine, *MINE, "-n")
    # A typo that nobody can know for one is used; what was made without it is found again.
    table.write_text("image,caption\n" + ROWS.replace("number 7", "nmber 7"))
    snakemake(mine, "results/datasets/mine/captions.csv", *MINE)
    table.write_text("image,caption\n" + ROWS)
    snakemake(mine, *MINE)
    assert "20 images, 20 of them done before" in (mine / FEATURES_LOG).read_text()
    assert "gru-8-max seed 1: finished before, after epoch 1" in (mine / TRAIN_LOG).read_text()


def test_a_picture_overwritten_in_place_is_computed_again_and_no_other(mine):
    photo = mine / "my/photos/11.jpg"
    status = photo.stat()
    Image.new("RGB", (300, 260), (9, 9, 200)).save(photo)
    assert photo.stat().st_mtime_ns != status.st_mtime_ns
    snakemake(mine, *MINE)
    assert "20 images, 19 of them done before" in (mine / FEATURES_LOG).read_text()
    assert "finished before" not in (mine / TRAIN_LOG).read_text()


def test_a_damaged_snapshot_of_the_results_is_named(mine):
    folder = mine / "results/mine/models/mine/gru-8-max/seed1"
    (snapshot,) = (folder / "snapshots").glob("epoch-001.safetensors")
    content = bytearray(snapshot.read_bytes())
    content[-7] ^= 1
    snapshot.write_bytes(content)
    scores = "results/mine/retrieval/mine/gru-8-max/seed1.csv"
    (mine / scores).unlink()
    output = snakemake(mine, scores, *MINE, fails=True)
    assert "epoch-001.safetensors is damaged" in output and "Traceback" not in output
    shutil.rmtree(folder)
    snakemake(mine, scores, *MINE)
    assert (
        "is missing or damaged: the checkpoint after it is removed"
        in (mine / TRAIN_LOG).read_text()
    )


def test_what_a_model_says_of_itself_deletes_nothing(mine):
    """The key in model.json, which used to name a folder to delete."""
    path = mine / "results/mine/models/mine/gru-8-max/seed1/model.json"
    (mine / "precious").mkdir()
    (mine / "precious/file").touch()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"key": "../../precious"}))
    snakemake(mine, *MINE, "--touch")
    (mine / "results/mine/merkx_frank_2019/tables/table2.md").unlink()
    snakemake(mine, *MINE)
    assert (mine / "precious/file").exists()


def test_commands_in_the_texts_of_a_configuration_are_not_run(built):
    """All of it at once, in names that files can have, on the way through every rule."""
    odd = "$(touch ran) `touch ran` ; touch ran & 'q' \"d\" \\ * ~ #"
    photos = built / odd / "photos"
    photos.mkdir(parents=True)
    for i in range(20):
        Image.new("RGB", (64, 64), (10 * i, 90, 50)).save(photos / f"{odd} {i}.png")
    rows = [f'"{odd} {i}.png"'.replace('"d"', '""d""') + f",Number {i}." for i in range(20)]
    (built / odd / "captions.csv").write_text("\n".join(["image,caption", *rows]) + "\n")
    words = "".join(f"{word} 0.1 {k}.5\n" for k, word in enumerate(["a", "the", "red", "dog"]))
    (built / odd / "vectors.txt").write_text(words)
    features = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    np.savez(
        built / odd / "f.npz", features=features, image_ids=[f"{odd} {i}.png" for i in range(20)]
    )
    data = {"source": "table", "table": f"{odd}/captions.csv", "images": f"{odd}/photos"}
    data |= {"backbone": "precomputed", "features": f"{odd}/f.npz", "models": ["gru-8-max"]}
    data["training"] = {"epochs": 1, "cycle": 1, "batch_size": 4}
    baselines = {"odd": {"encoder": "bag-of-words", "vectors": f"{odd}/vectors.txt"}}
    ratings = {"source": "scenes", "baselines": baselines}
    config = {"experiment": "odd", "datasets": {"odd": data}, "ratings": ratings}
    (built / "odd.yaml").write_text(json.dumps(config))
    snakemake(built, "--configfile", "odd.yaml")
    assert (built / "results/odd/merkx_frank_2019/tables/table_s1.md").exists()
    assert not list(built.rglob("ran"))


def test_mscoco_from_small_archives_of_the_public_form(built):
    """Two image archives and Karpathy's JSON in a mirror: restval trains, five captions count."""
    mirror = built / "small-mirror/mscoco"
    mirror.mkdir(parents=True)
    images = []
    pictures = {"train2014": [], "val2014": []}
    splits = ["train"] * 8 + ["restval"] * 4 + ["val"] * 4 + ["test"] * 4
    for i, split in enumerate(splits):
        folder = "train2014" if split == "train" else "val2014"
        name = f"COCO_{folder}_{i:012}.jpg"
        file = io.BytesIO()
        Image.new("RGB", (280, 260), (12 * i, 80, 255 - 12 * i)).save(file, "JPEG")
        pictures[folder].append((f"{folder}/{name}", file.getvalue()))
        sentences = [
            {"tokens": [], "raw": f"Colour {i}, number {k}", "sentid": k}
            for k in range(6 if i == 0 else 5)
        ]
        images.append(
            {
                "filepath": folder,
                "filename": name,
                "split": split,
                "cocoid": i,
                "sentences": sentences,
            }
        )
    for folder, files in pictures.items():
        with zipfile.ZipFile(mirror / f"{folder}.zip", "w") as archive:
            for name, data in files:
                archive.writestr(name, data)
    with zipfile.ZipFile(mirror / "caption_datasets.zip", "w") as archive:
        archive.writestr("dataset_coco.json", json.dumps({"images": images, "dataset": "coco"}))
    sums = [
        f"{hashlib.sha256(p.read_bytes()).hexdigest()}  mscoco/{p.name}" for p in mirror.iterdir()
    ]
    (mirror.parent / "SHA256SUMS").write_text("\n".join(sums) + "\n")
    (built / "config/coco.yaml").write_text(
        "experiment: coco\nmirror: small-mirror\ndatasets: {mscoco: {source: mscoco, folds: 2, "
        "backbone: efficientnet_lite0, models: [gru-8-attention], training: {epochs: 2, cycle: 1, "
        "batch_size: 4, clip_image: null, clip_caption: null}}}\n"
    )
    snakemake(built, "--configfile", "config/coco.yaml")
    captions = pd.read_csv(built / "results/datasets/mscoco/captions.csv")
    assert captions["caption"][0] == "Colour 0 , number 0"
    assert captions.groupby("split")["image_id"].nunique().to_dict() == {
        "train": 12,
        "dev": 4,
        "test": 4,
    }
    scores = pd.read_csv(built / "results/coco/retrieval/mscoco/gru-8-attention/seed1.csv")
    test = scores[(scores["split"] == "test") & (scores["kind"] == "ensemble")]
    assert test.set_index(["test_set", "direction"])["queries"].to_dict() == {
        ("4", "caption_to_image"): 20,
        ("4", "image_to_caption"): 4,
        ("4", "caption_to_caption"): 20,
        ("2-folds", "caption_to_image"): 20,
        ("2-folds", "image_to_caption"): 4,
    }


# Every experiment, as a dry run; and real data where there is a mirror


@pytest.mark.parametrize("experiment", ["flickr8k", "paper", "best", "dt-rnn", "mlmme", "pascal1k"])
def test_a_dry_run_works_offline(built, experiment):
    output = snakemake(built, "-n", "--configfile", f"config/{experiment}.yaml", **NO_NETWORK)
    assert "rule train:" in output


def test_flickr30k_in_small_from_an_archive_of_karpathy_s_form(built):
    """Its JSON is downloaded, the pictures are the user's own."""
    mirror, photos = built / "karpathy/mscoco", built / "my/flickr30k"
    mirror.mkdir(parents=True)
    photos.mkdir(parents=True)
    shutil.rmtree(built / "data/mscoco", ignore_errors=True)  # another test's archive
    splits = ["train"] * 4 + ["val"] * 2 + ["test"] * 2
    images = [
        {
            "filename": f"{number}.jpg",
            "split": split,
            "sentences": [{"raw": f"A dog, number {k}."} for k in range(5)],
        }
        for number, split in enumerate(splits)
    ]
    for image in images:
        Image.new("RGB", (8, 8)).save(photos / image["filename"])
    archive = mirror / "caption_datasets.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("dataset_flickr30k.json", json.dumps({"images": images}))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    (built / "karpathy/SHA256SUMS").write_text(f"{digest}  mscoco/{archive.name}\n")
    small = "mirror=karpathy", "datasets={flickr30k: {images: my/flickr30k, captions: 2}}"
    wanted = "results/datasets/flickr30k/captions.csv"
    snakemake(built, wanted, "--configfile", "config/flickr30k.yaml", "--config", *small)
    captions = pd.read_csv(built / wanted)
    assert captions.split.tolist() == ["train"] * 8 + ["dev"] * 4 + ["test"] * 4
    assert captions.caption[:2].tolist() == ["A dog , number 0 .", "A dog , number 1 ."]
    (photos / "7.jpg").unlink()
    (built / wanted).unlink()
    output = snakemake(
        built, wanted, "--configfile", "config/flickr30k.yaml", "--config", *small, fails=True
    )
    assert "1 of 8 image files are missing: my/flickr30k/7.jpg" in output


LITE = "efficientnet_lite0"
WORDS = {"text": {"name": "words"}, "encoder": {"name": "bag", "size": 8}}
LETTERS = {"encoder": {"name": "rnn", "cell": "gru", "size": 8}}
SEVERAL = {"languages": ["en", "de"], "objective": {"name": "multilingual", "beta": 0.5}}


@pytest.mark.parametrize(
    "paper, models, wanted, unwanted",
    [
        ("calixto_liu_2017", [WORDS, LETTERS | SEVERAL], "table1", "claims"),
        ("calixto_liu_2017", [WORDS, WORDS | SEVERAL], "claims", "table2"),
    ],
)
def test_only_tables_that_have_something_to_show_are_wanted(
    built, tmp_path, paper, models, wanted, unwanted
):
    """The others would fail, after all trainings."""
    named = {f"model-{number}": model for number, model in enumerate(models)}
    data = {"source": "scenes", "count": 40, "backbone": LITE, "papers": [paper]}
    datasets = {"scenes": {**data, "models": list(named)}}
    config = {"experiment": "few-models", "models": named, "datasets": datasets}
    (tmp_path / "config.json").write_text(json.dumps(config))
    output = snakemake(built, "-n", "--configfile", tmp_path / "config.json")
    assert f"rule {paper}_{wanted}:" in output and f"rule {paper}_{unwanted}:" not in output


def test_re_ranking_by_no_model_wants_no_table_of_it(built, tmp_path):
    data = {"source": "scenes", "count": 40, "backbone": LITE, "papers": ["calixto_liu_2017"]}
    datasets = {"scenes": {**data, "models": ["words"]}}
    translation = {"dataset": "scenes", "source": "en", "target": "de"}
    translation |= {"n_best": [2], "systems": {"weak": {"size": 8, "embedding": 8}}}
    config = {"experiment": "alone", "models": {"words": WORDS}, "datasets": datasets}
    (tmp_path / "config.json").write_text(json.dumps(config | {"translation": translation}))
    output = snakemake(built, "-n", "--configfile", tmp_path / "config.json")
    assert "rule rerank:" in output and "calixto_liu_2017_table3" not in output


def test_flickr8k_from_a_mirror(built, mirror):
    precomputed = "features/flickr8k_resnet50_tencrop.npz"
    data = f"datasets={{flickr8k: {{backbone: precomputed, features: {precomputed}}}}}"
    targets = (
        "results/features/flickr8k/precomputed.h5",
        "results/text/flickr8k/characters.en.json",
    )
    config = ("--configfile", "config/flickr8k.yaml", "--config", f"mirror={mirror}", data)
    snakemake(built, *targets, *config)
    images = pd.read_csv(built / "results/datasets/flickr8k/images.csv")
    assert images["split"].value_counts().to_dict() == {"train": 6000, "dev": 1000, "test": 1000}
