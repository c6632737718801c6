"""The claims of Merkx & Frank (2019)."""

import numpy as np
import pandas as pd
import pytest

from groundvec.evaluation import bootstrap
from groundvec.evaluation.ratings import evaluate
from reproduction.papers.merkx_frank_2019 import claims
from reproduction.render.claims import write
from reproduction.reporting import measures, resampled, results
from tests.support.refusals import refused
from tests.support.result_files import SYSTEM, models

KINDS = ("snapshot", "ensemble")


def value(model, measure, value, half, kind="ensemble", epochs="4+8", seed=1):
    """Make a value, with bootstrap draws from `half` below it to `half` above it."""
    about = {"dataset": "flickr8k", "model": model, "system": model, "measure": measure}
    draws = np.array([value, *np.linspace(value - half, value + half, 1001)])
    return about | {"seed": seed, "kind": kind, "epochs": epochs, "draws": draws}


def bag(measure, score):
    """The value of a baseline."""
    return value("bag", measure, score, 1.0, "baseline", "", np.nan)


def test_claims_are_about_models_that_differ_in_one_thing(tmp_path):
    values = [
        value("gru-8-max", "training task", 50.0, 3.0),
        value("lstm-8-max", "training task", 60.0, 2.0),
        value("gru-8-attention", "training task", 40.0, 1.0),
        value("gru-16-max", "training task", 56.0, -4.0),  # where the others are low it is high
        value("gru-8-max", "semantic score", 70.0, 1.0),
        value("lstm-8-max", "semantic score", 90.0, 1.0),
        value("gru-8-max", "training task", 30.0, 2.0, "snapshot", "4"),
        value("gru-8-max", "training task", 48.0, 3.0, "snapshot", "8"),
        value("gru-8-max", "semantic score", 66.0, 3.0, "snapshot", "4"),
        value("gru-8-max", "semantic score", 60.0, 1.5, "snapshot", "8"),
        bag("semantic score", 65.0),
        value("gru-8-max", "SICK-R", 75.0, 1.0),
        value("gru-16-max", "SICK-R", 78.0, 1.0),
    ]
    names = ("gru-8-max", "lstm-8-max", "gru-8-attention", "gru-16-max")
    described = models(tmp_path, *(("flickr8k", name) for name in names)).assign(test_to_train=0.5)
    best = {("flickr8k", "gru-8-max", 1): 8}
    found = claims.claims(pd.DataFrame(values), described, {"flickr8k": "gru-8-max"}, best)
    shown = found[["claim", "measure", "worse", "better", "difference", "verdict"]].values.tolist()
    task = "training task"
    score = "semantic score"
    assert shown == [
        [claims.CELLS, task, "lstm-8-max", "gru-8-max", -10.0, "does not hold"],
        [claims.POOLING, task, "gru-8-max", "gru-8-attention", -10.0, "does not hold"],
        [claims.SIZES[task], task, "gru-8-max", "gru-16-max", 6.0, "not decided"],
        [claims.SIZES["SICK-R"], "SICK-R", "gru-8-max", "gru-16-max", 3.0, "holds"],
        [claims.ENSEMBLE, task, "best snapshot", "ensemble", 2.0, "holds"],
        [claims.ENSEMBLE, score, "best snapshot", "ensemble", 10.0, "holds"],
        [claims.LATE, task, "epoch 4", "epoch 8", 18.0, "holds"],
        [claims.PEAK, score, "epoch 8", "epoch 4", 6.0, "holds"],
        [claims.BASELINES, score, "bag", "gru-8-max", 5.0, "holds"],
    ]
    # Seeds of a draw have their own test images, but the same rated pairs.
    assert found["test_to_train"].tolist() == [
        0.5 * (measure == task) for measure in found["measure"]
    ]
    # Draw by draw: epoch 8 is within 3 of its 48 where epoch 4 is within 2 of its 30.
    ends = found.set_index("claim")[["low", "high"]]
    np.testing.assert_allclose(ends.loc[claims.LATE], [18 - 0.95, 18 + 0.95])
    np.testing.assert_allclose(ends.loc[claims.SIZES[task]], [6 - 0.95 * 7, 6 + 0.95 * 7])


def test_claims_of_a_model_are_of_all_its_seeds(tmp_path):
    """Each seed has its own best snapshot; the claim compares the mean over seeds."""
    values = [
        value("gru-8-max", "training task", number + seed, 1.0, kind, epochs, seed)
        for seed in (1, 2, 3)
        for kind, epochs, number in (
            ("snapshot", "4", 30.0 + 30 * (seed == 2)),
            ("snapshot", "8", 40.0),
            ("ensemble", "4+8", 50.0 + 20 * (seed == 2)),
        )
    ]
    values.append(bag("training task", 10.0))
    described = models(tmp_path, *(("flickr8k", "gru-8-max", seed) for seed in (1, 2, 3)))
    best = {("flickr8k", "gru-8-max", seed): 4 if seed == 2 else 8 for seed in (1, 2, 3)}
    found = claims.claims(pd.DataFrame(values), described, {"flickr8k": "gru-8-max"}, best)
    found = found.set_index("claim")
    assert found["seeds"].eq(3).all()
    assert found["difference"].round(9).to_dict() == {
        claims.ENSEMBLE: 10,
        claims.LATE: 0,  # 10, -20 and 10
        claims.BASELINES: pytest.approx(48.667, abs=1e-3),
    }


def test_a_single_snapshot_is_compared_with_baselines_alone(tmp_path):
    values = [value("gru-8-max", "training task", 50.0, 1.0, kind, "4") for kind in KINDS]
    described = models(tmp_path, ("flickr8k", "gru-8-max"), snapshots=[4])
    best = {("flickr8k", "gru-8-max", 1): 4}
    found = claims.claims(pd.DataFrame(values), described, {"flickr8k": "gru-8-max"}, best)
    assert found.empty
    write(tmp_path / "claims", found, "Claims.", ["A note."])
    assert pd.read_csv(tmp_path / "claims.csv").empty
    assert "Nothing to compare." in (tmp_path / "claims.md").read_text()
    values.append(bag("training task", 10.0))
    found = claims.claims(pd.DataFrame(values), described, {"flickr8k": "gru-8-max"}, best)
    assert found["claim"].tolist() == [claims.BASELINES]


def test_claims_are_measured_draw_by_draw(files, tmp_path):
    """Compute the value of every draw of images or pairs by brute force."""
    rng = np.random.default_rng(5)
    about = {"dataset": "flickr8k", "model": "gru-8-max", "seed": 1, "language": "en"}
    ranks = pd.DataFrame(
        [
            {**about, "kind": kind, "epochs": epochs, "direction": direction, "image": image}
            for kind, epochs in (("snapshot", "4"), ("ensemble", "4+8"))
            for direction, queries in (("caption_to_image", 3), ("image_to_caption", 1))
            for image in range(20)
            for _ in range(queries)
        ]
    )
    ranks["rank"] = rng.integers(1, 21, len(ranks))
    table = claims.measured(ranks, results.read_predictions(files))
    times = bootstrap.draws(20, np.random.default_rng(resampled.SEED)).astype(int)
    task = table[table["measure"] == "training task"].set_index("epochs")["draws"]
    for epochs, own in ranks.groupby("epochs"):
        for draw in range(5):
            chosen = np.repeat(range(20), times[draw])
            drawn = pd.concat([own[own["image"] == image] for image in chosen])
            recalls = drawn["rank"].le(10).groupby(drawn["direction"]).mean()
            assert task[epochs][draw] == pytest.approx(100 * recalls.mean())
    # Scores of the pairs themselves: `measures` of the scores of these predictions.
    predictions = results.read_predictions(files)
    names = ["system", "kind", "epochs"]
    about = {"dataset": "", "model": "", "seed": 1}
    scores = [
        evaluate(own).assign(**about, **dict(zip(names, key, strict=True)))
        for key, own in predictions.groupby(names)
    ]
    expected = measures.semantic_measures(pd.concat(scores, ignore_index=True))
    keys = [*names, "measure"]
    expected = 100 * expected.set_index(keys)["pearson"]
    found = table[table["measure"] != "training task"].set_index(keys)["draws"].str[0]
    assert found.sort_index().tolist() == pytest.approx(expected.sort_index().tolist())
    seeds = table.set_index("system")["seed"]
    assert seeds.loc[SYSTEM].eq(1).all() and seeds.loc[["trigrams"]].isna().all()


def test_a_system_of_other_pairs_has_no_claims(files):
    predictions = results.read_predictions(files)
    with refused("trigrams was not judged on the same pairs of Scenes"):
        resampled.correlations(
            predictions[predictions["system"].ne("trigrams") | predictions["pair"].gt(0)]
        )
