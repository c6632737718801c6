"""The tables and figures of Calixto & Liu (2017), made of small result files."""

from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from groundvec.card.text import MINUS, MISSING
from groundvec.results import schemas
from groundvec.results.frames import read_csv
from groundvec.runtime.files import read_json, write_json
from reproduction.papers.calixto_liu_2017 import claims, comparable
from reproduction.papers.calixto_liu_2017 import table1 as first_table
from reproduction.papers.calixto_liu_2017.labels import labelled
from reproduction.render.tables import DAGGER, DOUBLE
from reproduction.reporting import results, systems
from reproduction.schemas import Reranked
from tests.support.result_files import (
    correlation,
    described,
    filled,
    make,
    of_system,
    write,
    write_models,
)

REPORTED = Path(__file__).parents[3] / "reproduction" / "papers" / "calixto_liu_2017" / "reported"
C2I = "caption_to_image"
I2C = "image_to_caption"


def description(languages, beta=1.0, text="words", **more):
    return {
        **described("gru-8-last"),
        "languages": languages,
        "text": {"name": text},
        "objective": {"name": "multilingual", "margin": 0.2, "beta": beta},
        **more,
    }


MODELS = {
    "a": description(["en"]),
    "b": description(["de"]),
    "c": description(["en", "de"]),
    "d": description(["en", "de"], 0.5),
    "e": description(["en"], text="characters"),
    "f": description(["en", "de"], 0.5, "characters"),
    "g": description(["en", "de"], 0.5, "characters", shared=True),
    "t": description(["en", "de"], 0.0),
}
run = partial(make, "calixto_liu_2017")


def scores_of(model, recall, dataset="multi30k"):
    """Scores of a training: R@10 from sentence to image; 10 more from image to sentence."""
    languages = MODELS[model]["languages"]
    ways = [(language, *way) for language in languages for way in ((C2I, 0), (I2C, 10))]
    if len(languages) > 1:
        ways += [(pair, "caption_to_caption", 0) for pair in ("en-de", "de-en")]
    rows = [
        (language, direction, split, kind, epochs, value + more)
        for language, direction, more in ways
        for split in ("dev", "test")
        for kind, epochs, value in (
            ("ensemble", "4+8", recall),
            ("snapshot", "8", 90),
            ("chance", "", 1),
        )
    ]
    columns = ["language", "direction", "split", "kind", "epochs", "r10"]
    table = pd.DataFrame(rows, columns=columns).assign(dataset=dataset, model=model, seed=1)
    return filled(table.assign(test_set="929", r10_ci=3), schemas.Retrieval)


def retrieval(folder, **recalls):
    """The options of scripts/report.py for scores by model."""
    files = write_models(folder, *(("multi30k", model) for model in recalls), **MODELS)
    tables = [scores_of(model, recall) for model, recall in recalls.items()]
    return ["--models", *files, "--retrieval", *write(folder, *tables, name="retrieval")]


def query_ranks(folder, **recalls):
    """Write ranks of 100 images for models: the first MODEL=RECALL images have rank 10."""
    tables = []
    for model, recall in recalls.items():
        parts = [
            pd.DataFrame(
                {"image": range(100), "rank": np.where(np.arange(100) < found, 10, 11)}
            ).assign(language=language, direction=direction)
            for language in MODELS[model]["languages"]
            for direction, found in ((C2I, recall), (I2C, recall + 10))
        ]
        about = {"dataset": "multi30k", "model": model, "seed": 1}
        tables.append(pd.concat(parts).assign(**about, kind="ensemble", epochs="4+8"))
    return ["--query-ranks", *write(folder, *tables, name="ranks")]


def make_item(folder, item, *options, reported=None):
    """Make a table; returns its CSV file and its text."""
    beside = ["--reported", REPORTED / f"{reported}.csv"] if reported else []
    run(*options, *beside, "--output", folder / item)
    return pd.read_csv(folder / f"{item}.csv"), (folder / f"{item}.md").read_text()


def test_models_are_named_by_their_languages_beta_and_text(tmp_path):
    names = [("multi30k", model) for model in "acefg"]
    files = write_models(tmp_path, *names, **MODELS)
    named = labelled(results.read_models(files)).set_index("model")["name"]
    assert named.to_dict() == {
        "a": "VSE",
        "c": "MLMME, β = 1",
        "e": "VSE (characters)",
        "f": "MLMME, β = 0.5 (characters)",
        "g": "MLMME, β = 0.5 (characters, shared)",
    }


def test_table_1_has_the_gain_over_the_best_model_of_one_language_that_reads_the_same(tmp_path):
    options = retrieval(tmp_path, a=40, b=30, c=44, d=36, e=60, f=66)
    table, text = make_item(tmp_path, "table1", *options, reported="table1")
    ours = table[table["source"] == "measured"].set_index(["language", "model"])
    gains = ours[f"{C2I}_r10_gain"].dropna().to_dict()
    assert gains == {
        ("en", "c"): 4,
        ("en", "d"): -4,
        ("de", "c"): 14,
        ("de", "d"): 6,
        ("en", "f"): 6,
    }
    assert ours.loc[("en", "a"), f"{C2I}_r10"] == 40  # the ensemble's recall, not the snapshot's
    assert "44.0 ± 3.0 (+4.0)" in text and f"36.0 ± 3.0 ({MINUS}4.0)" in text
    assert "63.6 (+7.1)" in text  # the paper's own, over the best of Skip-Thought and both VSE


def ratings(folder, models=MODELS, seeds=(1,), **closeness):
    """Write scores and predictions of models; MODEL=WEIGHT is the ratings' part of the cosines."""
    rng = np.random.default_rng(0)
    rating = rng.normal(size=400)
    noise = rng.normal(size=400)
    scores = []
    predictions = []
    for (model, share), seed in product(closeness.items(), seeds):
        system = f"multi30k/{model}/seed{seed}"
        cosine = share * rating + (1 - share) * noise
        pairs = pd.DataFrame(
            {"pair": range(400), "rating": 2.5 + rating / 2, "cosine": cosine / 10}
        )
        pairs = pairs.assign(system=system, kind="ensemble", epochs="4+8", classifier=np.nan)
        predictions.append(pairs.assign(task="STS 2014", subtask="Images"))
        r = np.corrcoef(rating, cosine)[0, 1]
        rows = [
            correlation("STS 2014", "Images", "cosine", 400, r, half=0),
            correlation("STS 2014", "all", "cosine", 400, r, "weighted mean", half=0),
            correlation("all", "all", "cosine", 400, r, "weighted mean", half=0),
        ]
        scores.append(of_system(system, {("ensemble", "4+8"): r}, lambda _, rows=rows: rows))
    trainings = (("multi30k", model, seed) for model, seed in product(closeness, seeds))
    options = ["--models", *write_models(folder, *trainings, **models)]
    options += ["--scores", *write(folder, *scores)]
    return options, ["--predictions", *write(folder, *predictions, name="predictions")]


def test_table_2_marks_models_better_than_the_english_one(tmp_path):
    scores, predictions = ratings(tmp_path, a=0.5, c=0.5, d=0.8)
    table, text = make_item(tmp_path, "table2", *scores, *predictions, reported="table2")
    ours = table[(table["source"] == "measured") & (table["measure"] == "STS 2014 images")]
    p = dict(zip(ours["model"], ours["p_vse"], strict=True))
    assert np.isnan(p["a"]) and p["c"] == 1 and p["d"] < 0.001
    lines = [line for line in text.splitlines() if line.startswith("| measured")]
    assert [DAGGER in line for line in lines] == [False, False, True]
    reported = table[table["source"] == "reported"].set_index(["name", "measure"])["value"]
    assert reported["MLMME, β = 0.25", "STS 2015 images"] == pytest.approx(88.6)


def reranked(folder, scores, n=20, system="weak"):
    """A file of scores: by re-ranker (BLEU, TER, p against the first, p against each control)."""
    rows = []
    for reranker, (bleu, ter, p, p_vse) in scores.items():
        for metric, value in (("bleu", bleu), ("meteor", None), ("ter", ter)):
            row = {"n_best": n, "system": system, "reranker": reranker, "metric": metric}
            row |= {"score": value, "p_baseline": p, "signature": f"of {metric}"}
            row |= dict.fromkeys(("p_length", "p_vse", "p_text"), p_vse)
            rows.append(row | dict.fromkeys(systems.PROVENANCE[1:], "x"))
    path = folder / f"{system}.{n}.csv"
    filled(pd.DataFrame(rows), Reranked).to_csv(path, index=False)
    return path


SCORES = {
    "baseline": (25.0, 56.0, None, 0.6),
    "length": (25.5, 58.0, 0.01, 0.2),
    "b": (24.0, 57.0, 0.6, None),
    "d": (26.5, 55.0, 0.01, 0.001),
    "t": (26.75, 54.5, 0.01, 0.001),
    "oracle": (33.0, 46.0, 0.0001, 0.0001),
}


def table3(folder):
    files = write_models(folder, *(("multi30k", model) for model in "bdt"), **MODELS)
    options = ["--rerankers", *files, "--reranked", reranked(folder, SCORES)]
    table, text = make_item(folder, "table3", *options, reported="tables_3_4")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return table, {row[0]: row[1:] for row in rows}, text


def test_table_3_has_daggers_only_where_translations_got_better(tmp_path):
    table, rows, text = table3(tmp_path)
    bleu = 0  # the columns that were measured
    ter = -2
    assert rows["baseline"][bleu] == "25.0" and rows["baseline"][ter] == "56.0"
    assert rows["VSE"][bleu] == f"24.0 ({MINUS}1.0)"
    assert rows["MLMME, β = 0.5"][bleu] == f"26.5 (+1.5){DAGGER}{DOUBLE}"
    assert rows["MLMME, β = 0.5"][ter] == f"55.0 ({MINUS}1.0){DAGGER}{DOUBLE}"
    # Significantly worse than the first by TER, which has no dagger.
    assert rows["length"][bleu] == f"25.5 (+0.5){DAGGER}"
    assert rows["length"][ter] == "58.0 (+2.0)"
    assert rows["oracle"][bleu] == f"33.0{DAGGER}{DOUBLE}"
    assert rows["MLMME, β = 0.5"][bleu + 1] == "26.0 (+0.3)"  # the paper reports 26.0
    assert "BLEU: of bleu." in text
    assert table["dataset"].unique().tolist() == ["multi30k"]
    assert rows["VSE"][2] == MISSING  # METEOR, which was not computed


def test_claims_are_made_of_the_tables(tmp_path):
    recalls = {"a": 40, "b": 30, "c": 50, "d": 41, "t": 1}
    options = retrieval(tmp_path, **recalls)
    make_item(tmp_path, "table1", *options, reported="table1")
    scores, predictions = ratings(tmp_path, a=0.5, c=0.5, d=0.8)
    make_item(tmp_path, "table2", *scores, *predictions, reported="table2")
    table3(tmp_path)
    for path in options[1 : 1 + len(recalls)]:
        write_json(path, read_json(path) | {"draw": [40, 20, 20]})
    options += ["--tables", *(tmp_path / f"table{number}.csv" for number in (1, 2, 3))]
    options += query_ranks(tmp_path, **recalls)
    table, text = make_item(tmp_path, "claims", *options, *predictions)
    table = table.fillna({"condition": ""}).set_index(["claim", "condition", "better"]).sort_index()
    images = table.loc[(claims.IMAGES, "en")]
    # It finds ten images of a hundred more, and loses none: ten binomial to 1.96 sqrt(100 p q).
    whole = images.loc["MLMME, β = 1"]
    assert (whole["difference"], whole["verdict"]) == (10, "holds")
    assert [whole["low"], whole["high"]] == pytest.approx([10 - 5.9, 10 + 5.9], abs=1.2)
    assert images.loc["MLMME, β = 0.5", "verdict"] == "not decided"
    assert "MLMME, β = 0" not in images.index  # it learned no images
    assert images.loc["MLMME, β = 1", "reported"] == pytest.approx(61.1 - 54.4)
    # Seeds of a draw have their own test images, but the same rated pairs.
    assert images["test_to_train"].eq(20 / 40).all() and "Nadeau & Bengio" in text
    assert table.loc[claims.RATINGS, "test_to_train"].eq(0).all()
    sentences = table.loc[claims.SENTENCES]
    assert sentences.loc[("en", "VSE"), "verdict"].tolist() == ["does not hold", "not decided"]
    helped = table.loc[(claims.RATINGS, "")]["verdict"]
    assert helped.to_dict() == {"MLMME, β = 0.5": "holds", "MLMME, β = 1": "not decided"}
    gained = table.loc[(claims.BETA, "", "MLMME, β = 0.5")]
    p = table.loc[(claims.RATINGS, "", "MLMME, β = 0.5"), "p"]
    assert p < 0.001 and r"| \< 0.001 | holds† |" in text and "0.000" not in text
    assert (
        gained["verdict"] == "holds" and 0 < gained["low"] < gained["difference"] < gained["high"]
    )
    of_lists = table.xs("20-best, weak", level="condition").set_index("measure", append=True)
    found = of_lists.xs("MLMME, β = 0.5", level="better")[["worse", "difference", "verdict"]]
    # A lower TER is better; d is worse than re-ranking by text alone.
    assert {key: tuple(row) for key, row in found.T.items()} == {
        (claims.IMPROVES, "BLEU"): ("baseline", 1.5, "holds"),
        (claims.IMPROVES, "TER"): ("baseline", 1, "holds"),
        (claims.OVER_VSE, "BLEU"): ("VSE", 2.5, "holds"),
        (claims.OVER_VSE, "TER"): ("VSE", 2, "holds"),
        (claims.OVER_TEXT, "BLEU"): ("MLMME, β = 0", -0.25, "does not hold"),
        (claims.OVER_TEXT, "TER"): ("MLMME, β = 0", -0.5, "does not hold"),
        (claims.OVER_LENGTH, "BLEU"): ("length", 1.0, "holds"),
        (claims.OVER_LENGTH, "TER"): ("length", 3.0, "holds"),
    }
    harm = of_lists.loc[(claims.HARM, "baseline", "BLEU")]
    assert harm[["difference", "verdict"]].tolist() == [1, "not decided"]
    assert round(harm["reported"], 1) == -0.1
    assert "in brackets" not in text and "not decided in" in text


def test_claims_of_several_seeds_compare_their_mean_with_the_reported(tmp_path):
    scores, predictions = ratings(tmp_path, seeds=(1, 2), a=0.5, c=0.5, d=0.8, g=0.7)
    _, text = make_item(tmp_path, "table2", *scores, *predictions, reported="table2")
    assert "| MLMME, β = 0.5, seed 2 |" in text
    table, text = make_item(tmp_path, "claims", "--tables", tmp_path / "table2.csv", *predictions)
    gained = table[table["claim"] == claims.BETA]
    # The model of characters has no counterpart with β = 1.
    assert gained[["measure", "better", "seeds"]].values.tolist() == [
        ["STS 2014 images", "MLMME, β = 0.5", 2]
    ]
    assert gained["reported"].round(1).tolist() == [2.9]  # 82.6 - 79.7
    # Both seeds are the same here, so that only pairs vary; no test is made.
    assert gained["low"].gt(0).all() and gained["verdict"].eq("holds").all()
    assert table["p"].isna().all() and "| p |" not in text


def test_reported_numbers_stand_with_the_data_set_of_the_paper_s_source(tmp_path):
    """This data set has another name, and its model a misleading one."""
    [path] = write_models(tmp_path, ("mine", "VSE"), VSE=MODELS["c"])
    write_json(path, read_json(path) | {"source": "multi30k"})
    measured = scores_of("c", 40, "mine").query("kind == 'ensemble' and split == 'test'")
    measured = measured.assign(model="VSE")
    reported = read_csv(REPORTED / "table1.csv").fillna({"role": ""})
    table = first_table.table1(measured, reported, results.read_models([path]))
    assert set(table["dataset"]) == {"mine"}
    assert table.loc[table["source"] == "measured", "several"].all()


@pytest.mark.parametrize(
    "models, expected",
    [
        ("ac", True),
        ("bc", True),
        ("ce", False),  # words and characters
        ("at", False),  # of several languages, only the control without images
        ("cs", False),  # a language that the other does not read
    ],
)
def test_claims_need_models_that_read_the_same_text_in_the_same_language(models, expected):
    swedish = MODELS | {"s": description(["sv"])}
    assert comparable({"models": {name: swedish[name] for name in models}}) == expected


def test_pairs_that_table_2_does_not_test_have_no_verdict(tmp_path):
    """Models with β = 0 are controls; the second model of English alone is not tested.

    Labels end in the model's own name where nothing else tells two models apart.
    """
    models = MODELS | {"h": MODELS["a"], "k": MODELS["d"]}
    scores, predictions = ratings(tmp_path, models, a=0.5, h=0.4, c=0.5, d=0.8, k=0.7, t=0.9)
    make_item(tmp_path, "table2", *scores, *predictions, reported="table2")
    table, _ = make_item(tmp_path, "claims", "--tables", tmp_path / "table2.csv", *predictions)
    halves = [f"MLMME, β = 0.5 ({name})" for name in "dk"]
    assert table[["claim", "worse", "better"]].values.tolist() == [
        *([claims.RATINGS, "VSE (a)", better] for better in ("MLMME, β = 1", *halves)),
        *([claims.BETA, "MLMME, β = 1", better] for better in halves),
    ]


def test_gains_are_of_the_same_seed():
    columns = {"several": [False, True, False, True], "seed": [1, 1, 2, 2], "source": "measured"}
    columns |= {recall: [10.0, 15.0, 20.0, 21.0] for recall in first_table.RECALLS}
    table = pd.DataFrame(columns).assign(dataset="d", language="en", reads="words", role="")
    gains = first_table._with_gains(table)["caption_to_image_r10_gain"]
    assert gains.dropna().tolist() == [5, 1]
