"""The workflow as people run it: a tiny experiment with the real code in a copy of the project."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from groundvec import SentenceEncoder
from groundvec.data.ratings import read_ratings
from groundvec.evaluation.overlap import seen, training_captions
from groundvec.features import store
from groundvec.runtime.files import read_json, sha256
from tests.support import public_files
from tests.support.result_files import rows
from tests.support.workflow import (
    NO_NETWORK,
    NOTHING,
    ROOT,
    copy_project,
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
AFTER_TRAINING = {"retrieval", "rate", "overlap", "card", "page", PAPER}
BEFORE_TRAINING = {"dataset_scenes", "ratings_scenes", "extract_features", "baseline"}
RULES = BEFORE_TRAINING | {"train"} | AFTER_TRAINING


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("tiny"))
    snakemake(project, *TINY)
    return project


def test_one_command_makes_every_table_and_figure(built):
    files = {
        path.relative_to(built / "results/tiny").as_posix()
        for path in (built / "results/tiny").glob(f"{PAPER}/*/*")
    }
    figures = ["figure2", "figure3", "figure4"]
    tables = ["table1", "table2", "snapshots", "table3", "section_4_3", "section_4_3_4", "claims"]
    tables += ["table_s1", "table_s1-models", "table_s1-spearman"]
    expected = {f"figures/{name}.{form}" for name in figures for form in ("pdf", "png", "svg")}
    expected.add("figures/figure1.svg")
    forms = ("csv", "html", "md", "tex")
    expected |= {f"tables/{name}.{form}" for name in tables for form in forms}
    expected.add("tables/section_4_3-tests.csv")
    assert files == {f"{PAPER}/{name}" for name in expected}
    assert (built / "results/tiny/summary/figures/learning.svg").exists()


def tables(built, form):
    files = sorted((built / "results/tiny").glob(f"*/tables/*.{form}"))
    assert {file.parts[-3] for file in files} > {PAPER, "socher_2014", "calixto_liu_2017"}
    return files


def test_every_csv_file_names_the_origin_of_its_numbers(built):
    paths = [path for path in tables(built, "csv") if path.stem != "summary"]  # of many origins
    for path in paths:
        table = pd.read_csv(path, dtype={"commit": str})  # 92e616859035 is no number
        origin = table[["commit", "versions", "machine"]]
        reported = table.get("source", pd.Series("", table.index)).eq("reported")
        assert origin[~reported].notna().all(axis=None) and origin[reported].isna().all(axis=None)


def test_every_table_has_the_same_cells_in_html_and_markdown(built):
    """Read back as XML: whatever the text holds, each cell is one cell."""
    for path in tables(built, "html"):
        page = ElementTree.parse(path)
        found = [
            ["".join(cell.itertext()).replace("\u00a0", " ") for cell in row]
            for row in page.iterfind(".//tbody/tr")
            if len(row) > 1
        ]
        markdown = rows(path.with_suffix(".md").read_text("utf-8"))
        cells = [row for part in markdown.values() for row in part[1:]]
        assert found == [[re.sub(r"\\(.)", r"\1", cell) for cell in row] for row in cells]
        lines = page.iterfind(".//tr")
        widths = {sum(int(cell.get("colspan", 1)) for cell in row) for row in lines}
        assert len(widths) == 1


def test_latex_of_every_table_is_well_formed(built):
    for path in tables(built, "tex"):
        latex = path.read_text("ascii")  # old LaTeX engines read only ASCII
        align = re.search(r"\{@\{\}(.+)@\{\}\}", latex)[1]
        columns = len(re.sub(r"p\{[^}]*\}", "p", align))
        lines = [row for row in latex.splitlines() if row.endswith(r"\\") and "multic" not in row]
        counts = {len(re.findall(r"(?<!\\)&", row)) for row in lines}
        assert counts <= {0, columns - 1}, path
        bare = re.sub(r"\\[&%$#_{}\\]", "", latex)
        assert bare.count("{") == bare.count("}") and bare.count("$") % 2 == 0
        begun = re.findall(r"\\begin\{(\w+)\}", latex)
        assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+)\}", latex))


def test_everything_is_on_one_page_as_well(built):
    results = built / "results/tiny"
    page = (results / "report/index.html").read_text("utf-8")
    for paper in ("merkx_frank_2019", "socher_2014", "calixto_liu_2017", "ablation"):
        for table in (results / paper / "tables").glob("*.html"):
            assert f'id="{paper}-{table.stem}"' in page
        for figure in (results / paper / "figures").glob("*.svg"):
            assert f'<figure id="{paper}-{figure.stem}">' in page
    for dataset in ("tiny-scenes", "few", "both", "own", "tuned"):
        assert f'data-dataset="{dataset}"' in page
    panel = (results / "report/tiny-scenes.try_it.html").read_text("utf-8")
    assert "none is a bag of n-grams" in panel
    assert panel in page


def test_a_tuned_network_computes_features_of_its_own(built):
    [folder] = (built / "results/tuned/tiny-scenes").iterdir()
    about = json.loads((folder / "tuned.json").read_text())
    assert about["sha256"] == sha256(folder / "tuned.pth")
    features = built / f"results/features/tiny-scenes/{folder.name}.h5"
    assert store.attributes(features)["weights_sha256"] == about["sha256"]


def test_translations_are_made_and_re_ranked(built):
    results = built / "results/tiny/calixto_liu_2017"
    made = {path.stem for path in (results / "tables").iterdir()}
    assert made == {"table1", "table2", "table3", "table4", "claims"}
    table = pd.read_csv(results / "tables/table4.csv")
    assert set(table["n_best"]) == {3}
    rerankers = ["baseline", "length", "VSE", "MLMME", "oracle"]
    assert table["reranker"].unique().tolist() == rerankers


PROVENANCE = ["configuration", "commit", "versions", "machine"]


@pytest.mark.parametrize("model", ["gru-32-attention/seed1", "lstm-16-max/seed2"])
def test_every_model_has_its_history_snapshots_ensemble_scores_and_card(built, model):
    results = built / "results/tiny"
    folder = results / f"models/tiny-scenes/{model}"
    assert pd.read_csv(folder / "history.csv")["epoch"].tolist() == [0, 1, 2]
    kept = {path.name for path in (folder / "snapshots").glob("*.safetensors")}
    assert kept == {f"epoch-{epoch:03}.safetensors" for epoch in range(3)}
    assert f"# {folder.parent.name} (Scenes)" in (folder / "README.md").read_text("utf-8")
    epochs = ["0", "1", "2", "1+2"]
    for kind, none in (("retrieval", [""]), ("ratings/models", [])):  # chance has no epochs
        scores = pd.read_csv(results / f"{kind}/tiny-scenes/{model}.csv")
        assert scores["epochs"].fillna("").unique().tolist() == none + epochs
        assert scores[PROVENANCE].notna().all(axis=None)
    # The untrained network, and the ends of the first and of the last cycle.
    for file in (
        f"ratings/models/tiny-scenes/{model}.predictions",
        f"retrieval/tiny-scenes/{model}.ranks",
    ):
        assert set(pd.read_csv(results / f"{file}.csv")["epochs"]) == set(epochs)
    assert not list((built / "results/checkpoints").rglob("checkpoint*.pt"))


def test_every_model_is_judged_by_the_ratings(built):
    folder = built / "results/tiny/ratings"
    pairs = pd.read_csv(folder / "scenes.csv").query("subtask == 'Swap'")
    encoder = SentenceEncoder(built / MODEL)
    sides = (pairs[side].tolist() for side in ("sentence_a", "sentence_b"))
    a, b = (encoder.encode(sentences, tokenized=True) for sentences in sides)
    expected = np.corrcoef((a * b).sum(axis=1), pairs["rating"])[0, 1]
    scores = pd.read_csv(folder / "models/tiny-scenes/gru-32-attention/seed1.csv")
    row = scores[(scores["subtask"] == "Swap") & (scores["kind"] == "ensemble")].iloc[0]
    assert row["pearson"] == pytest.approx(expected, abs=1e-6)


def test_the_rated_pairs_that_hold_a_training_caption_are_counted(built):
    """Here, a caption of the twelve training images of a draw."""
    results = built / "results/tiny"
    model = read_json(results / "models/few/SDT-RNN/seed1/model.json")
    captions = training_captions(model, built / "results/datasets/tiny-scenes/captions.csv")
    ratings = read_ratings(results / "ratings/scenes.csv").query("split == 'test'")
    expected = seen(ratings, captions).groupby("subtask")["seen"].sum()
    overlap = pd.read_csv(results / "ratings/models/few/SDT-RNN/seed1.overlap.csv")
    counts = overlap.query("subtask != 'all'").groupby("subtask")["seen"].max()
    assert counts.to_dict() == expected.to_dict()


def test_a_second_run_and_a_fresh_checkout_have_nothing_to_do(built):
    for path in built.rglob("*"):
        if path.is_file() and not {"data", "results", ".snakemake"} & set(path.parts):
            path.touch()
    nothing_to_do(built)
    (built / "elsewhere").mkdir()
    nothing_to_do(built, "--config", "mirror=elsewhere")


@pytest.mark.parametrize(
    "file, old, new, again",
    [
        ("reproduction/render/style.py", "", "CHANGED = True\n", {PAPER, "page"}),
        ("groundvec/objectives/hinge.py", "", "CHANGED = True\n", RULES - BEFORE_TRAINING),
        ("groundvec/runtime/progress.py", "", "CHANGED = True\n", set()),
        (f"reproduction/papers/{PAPER}/captions/table2.rst", "", "A note.\n", {"page"}),
        ("CITATION.cff", "issue: 4", "issue: 5", {"card", "page"}),
        ("groundvec/encoders/rnn.yaml", "", "limits: It is slow.\n", {"card"}),
    ],
)
def test_a_change_of_code_or_of_a_card_s_words_computes_again_what_depends_on_it(
    built, file, old, new, again
):
    """tests/groundvec/runtime/test_provenance.py has the hashes of all modules."""
    path = built / file
    before = path.read_text("utf-8")
    assert old in before
    path.write_text(before.replace(old, new, 1) if old else before + new, "utf-8")
    try:
        if again:
            rules = planned(built)
            assert rules >= again and not rules & ({"train", "rate"} - again)
        else:
            nothing_to_do(built)
    finally:
        path.write_text(before, "utf-8")


def test_a_network_more_extracts_its_features_alone(built):
    text = (built / "tests/tiny.yaml").read_text()
    lite = [f"efficientnet_lite{number}" for number in range(2)]
    several = text.replace(f"backbone: {lite[0]}\n", f"backbone: [{', '.join(lite)}]\n")
    (built / "several.yaml").write_text(several)
    target = f"results/features/tiny-scenes/{'+'.join(lite)}.h5"
    plan = snakemake(built, target, "--configfile", "several.yaml", "-n")
    extracted = re.findall(r"rule extract_features:\n(?:.*\n)*?    output: (.*)", plan)
    stem = f"results/features/tiny-scenes/{lite[1]}"
    assert sorted(extracted) == [f"{stem}.part{part}-of-2.h5" for part in range(2)]


def test_every_value_in_a_command_is_quoted():
    for path in sorted((ROOT / "rules").rglob("*.smk")):
        text = path.read_text()
        assert "$(" not in text
        commands = re.findall(r'shell:\n((?:\s*(?:["\'].*["\']|#.*)\n)+)', text)
        assert len(commands) == text.count("shell:"), path.name
        for command in commands:
            unquoted = [name for name in re.findall(r"{(.*?)}", command) if not name.endswith(":q")]
            assert not unquoted, f"{path.name}: {command}"


def test_snakemake_s_report_has_the_tables_and_figures(built):
    snakemake(built, *TINY, "--report", "report.html")
    page = (built / "report.html").read_text()
    for name in (
        "figure1.svg",
        "figure2.png",
        "samples-few.png",
        "table2.html",
        "table_s1-models.html",
    ):
        assert name in page


def test_a_training_of_two_names_is_done_once_and_without_ratings_nothing_is_rated(built):
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
    assert "rule retrieval:" in plan
    assert "rule ratings_scenes:" not in plan and "rule rate:" not in plan


def test_a_workflow_without_a_network_names_the_file_and_its_address(built):
    target = "data/flickr8k/Flickr8k_text.zip"
    options = ("--configfile", "config/flickr8k.yaml")
    output = snakemake(built, target, *options, fails=True, **NO_NETWORK)
    error = next(line for line in output.splitlines() if line.startswith("error: "))
    assert target in error and "https://" in error


OWN = {
    "source": "table",
    "models": ["gru-8-max"],
    "training": {"epochs": 1, "cycle": 1, "batch_size": 4},
}


def save_photos(folder, names):
    folder.mkdir(parents=True)
    for number, name in enumerate(names):
        Image.new("RGB", (64, 64), (10 * number, 90, 50)).save(folder / name)


MINE = ("--configfile", "mine.json")
ROWS = "".join(f"{i}.jpg,Picture number {i}.\n" for i in range(20))


@pytest.fixture(scope="module")
def mine(built):
    """A user's own images; two are damaged at first."""
    photos = built / "my/photos"
    save_photos(photos, [f"{i}.jpg" for i in range(20)])
    (photos / "3.jpg").write_bytes(b"")
    (photos / "5.jpg").write_text("not a picture")
    (built / "my/captions.csv").write_text("image,caption\n" + ROWS)
    files = {"table": "my/captions.csv", "images": "my/photos"}
    data = OWN | files | {"backbone": "efficientnet_lite0"}
    (built / "mine.json").write_text(json.dumps({"experiment": "mine", "datasets": {"mine": data}}))
    output = snakemake(built, *MINE, fails=True)
    assert "2 of 20 images" in output and "3.jpg" in output and "5.jpg" in output
    assert not list((built / "results/features/mine").glob("*.h5"))
    for name in ("3.jpg", "5.jpg"):
        Image.new("L", (64, 64), 77).save(photos / name)
    snakemake(built, *MINE)
    return built


FEATURES_LOG = "results/logs/features/mine/efficientnet_lite0.part0-of-1.log"
TRAIN_LOG = "results/mine/logs/train/mine/gru-8-max/seed1.log"
MINE_MODEL = "results/mine/models/mine/gru-8-max/seed1"


def test_bad_pictures_are_reported_together_and_the_others_kept(mine):
    assert "20 images, 18 of them done before" in (mine / FEATURES_LOG).read_text()
    results = mine / "results/mine/merkx_frank_2019"
    assert (results / "tables/table2.md").exists()
    assert not (results / "figures/figure2.png").exists()  # it compares models


def test_a_mistake_is_not_hidden_by_results_that_exist(mine):
    wrong = "datasets={mine: {table: my/caption.csv}}"
    output = snakemake(mine, *MINE, "--config", wrong, fails=True)
    assert "there is no file my/caption.csv; did you mean my/captions.csv?" in output
    assert "Traceback" not in output and NOTHING not in output


def test_a_typo_in_the_table_and_its_correction_compute_nothing_again(mine):
    table = mine / "my/captions.csv"
    table.write_text("image,caption\n" + ROWS.replace("Picture number 7.", ""))
    output = snakemake(mine, *MINE, fails=True)
    assert "my/captions.csv line 9: the caption is empty" in output
    assert (mine / "results/datasets/mine/captions.csv").exists()
    table.write_text("image,caption\n" + ROWS)
    assert NOTHING in snakemake(mine, *MINE, "-n")
    # An undetectable typo is used; after its correction, the earlier results are found again.
    table.write_text("image,caption\n" + ROWS.replace("number 7", "nmber 7"))
    snakemake(mine, "results/datasets/mine/captions.csv", *MINE)
    table.write_text("image,caption\n" + ROWS)
    snakemake(mine, f"{MINE_MODEL}/model.json", *MINE)
    assert "20 images, 20 of them done before" in (mine / FEATURES_LOG).read_text()
    assert "gru-8-max seed 1: finished before, after epoch 1" in (mine / TRAIN_LOG).read_text()


def test_a_picture_overwritten_in_place_is_computed_again_and_no_other(mine):
    photo = mine / "my/photos/11.jpg"
    Image.new("RGB", (64, 64), (9, 9, 200)).save(photo)
    snakemake(mine, f"{MINE_MODEL}/model.json", *MINE)
    assert "20 images, 19 of them done before" in (mine / FEATURES_LOG).read_text()
    assert "finished before" not in (mine / TRAIN_LOG).read_text()


def test_commands_in_the_texts_of_a_configuration_are_not_run(built):
    """All of it at once, in names that files can have, on the way through every rule."""
    odd = "$(touch ran) `touch ran` ; touch ran & 'q' \"d\" \\ * ~ #"
    names = [f"{odd} {i}.png" for i in range(20)]
    save_photos(built / odd / "photos", names)
    table = pd.DataFrame({"image": names, "caption": "A red dog."})
    table.to_csv(built / odd / "captions.csv", index=False)
    (built / odd / "vectors.txt").write_text("a 0.1 0.5\nred 0.2 0.1\n")
    features = np.random.default_rng(0).normal(size=(20, 8))
    np.savez(built / odd / "f.npz", features=features, image_ids=names)
    files = {"table": "captions.csv", "images": "photos", "features": "f.npz"}
    data = OWN | {key: f"{odd}/{name}" for key, name in files.items()}
    data["backbone"] = "precomputed"
    baselines = {"odd": {"encoder": "bag-of-words", "vectors": f"{odd}/vectors.txt"}}
    ratings = {"source": "scenes", "baselines": baselines}
    config = {"experiment": "odd", "datasets": {"odd": data}, "ratings": ratings}
    (built / "odd.yaml").write_text(json.dumps(config))
    snakemake(built, "--configfile", "odd.yaml")
    assert (built / "results/odd/merkx_frank_2019/tables/table_s1.md").exists()
    assert not list(built.rglob("ran"))


# Public data: small archives of the public form, and the real ones where there is a mirror


NEEDS_PHOTOS = ("flickr30k", "multi30k")  # in a folder of the user


@pytest.mark.slow
@pytest.mark.parametrize(
    "experiment",
    [path.stem for path in (ROOT / "config").glob("*.yaml") if path.stem not in NEEDS_PHOTOS],
)
def test_every_experiment_has_a_plan(tmp_path, experiment):
    config = ROOT / "config" / f"{experiment}.yaml"
    output = snakemake(ROOT, "-n", "--directory", tmp_path, "--configfile", config, **NO_NETWORK)
    assert "rule train:" in output


COCO = """
experiment: coco
mirror: small-mirror
datasets:
  mscoco: {source: mscoco, folds: 2, backbone: efficientnet_lite0, models: [gru-8-max]}
  flickr30k:
    source: karpathy
    json: mscoco/caption_datasets.zip/dataset_flickr30k.json
    images: my/flickr30k
    captions: 2
    backbone: efficientnet_lite0
    models: [gru-8-max]
"""


def test_data_sets_of_karpathy_s_archive_are_made_from_a_mirror(built):
    """MSCOCO's images are in archives too; Flickr30k's are the user's."""
    names = [f"{number}.jpg" for number in range(8)]
    save_photos(built / "my/flickr30k", names)
    photo = (built / "my/flickr30k/0.jpg").read_bytes()
    splits = {"train": range(3), "restval": range(3, 4), "val": range(4, 6), "test": range(6, 8)}
    mirror = built / "small-mirror"
    public_files.karpathy(mirror / "mscoco", [(photo, ["A dog."] * 5, [])] * 8, splits)
    sums = [f"{sha256(path)}  mscoco/{path.name}\n" for path in (mirror / "mscoco").iterdir()]
    (mirror / "SHA256SUMS").write_text("".join(sums))
    (built / "coco.yaml").write_text(COCO)
    made = [f"results/datasets/{name}/captions.csv" for name in ("mscoco", "flickr30k")]
    snakemake(built, *made, "--configfile", "coco.yaml")
    for path, captions in zip(made, (5, 2), strict=True):
        counts = pd.read_csv(built / path)["split"].value_counts().to_dict()
        assert counts == {"train": 4 * captions, "dev": 2 * captions, "test": 2 * captions}
    scores = "results/coco/retrieval/mscoco/gru-8-max/seed1.csv"
    assert '"folds": 2' in snakemake(built, scores, "--configfile", "coco.yaml", "-n", "-p")


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
