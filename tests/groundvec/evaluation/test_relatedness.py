import numpy as np
import pytest
import torch

from groundvec.evaluation import relatedness


def test_a_score_is_spread_over_the_two_nearest_grades():
    spread = relatedness.targets(np.array([3.4, 2, 5, 1, 4.75]))
    expected = [[0, 0, 0.6, 0.4, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0]]
    assert spread[:4] == pytest.approx(np.array(expected))
    assert spread[4].tolist() == [0, 0, 0, 0.25, 0.75]


def test_scores_below_one_lose_what_would_be_grade_0_as_in_senteval():
    assert relatedness.targets(np.array([0.25, 0])).tolist() == [[0.25, 0, 0, 0, 0], [0] * 5]


def pairs_of(rng, n):
    return relatedness.features(*rng.standard_normal((2, n, 4))), rng.uniform(0, 5, n)


def train():
    rng = np.random.RandomState(0)
    return relatedness.train_and_predict(
        pairs_of(rng, 70), pairs_of(rng, 20), pairs_of(rng, 9)[0], "cpu"
    )


def scripted(monkeypatch, development):
    """Let the checks find these correlations; the number of each prediction on the test pairs."""
    checks = iter(development)
    monkeypatch.setattr(relatedness, "pearson", lambda *_: next(checks))
    predictions = []
    original = relatedness.expected_grade

    def recorded(weight, bias, x):
        grades = original(weight, bias, x)
        if len(x) == 9:
            predictions.append(grades)
        return grades

    monkeypatch.setattr(relatedness, "expected_grade", recorded)
    return checks, predictions


def test_training_stops_at_the_fourth_failure_in_all_and_keeps_the_best(monkeypatch):
    checks, predictions = scripted(monkeypatch, [0.5, 0.4, 0.6, 0.6, 0.7, 0.1, 0.2, 0.9])
    grades, best = train()
    assert best == 0.7
    assert next(checks) == 0.9  # never asked for
    assert len(predictions) == 3
    assert (grades == predictions[2]).all()
    assert not np.array_equal(predictions[1], predictions[2])


def test_training_is_checked_every_50_epochs_and_ends_after_1050(monkeypatch):
    checks, _ = scripted(monkeypatch, range(100))
    train()
    assert next(checks) == 21


def test_the_caller_s_random_numbers_are_left_alone():
    torch.manual_seed(3)
    np.random.seed(3)
    expected = torch.rand(1), np.random.rand()
    torch.manual_seed(3)
    np.random.seed(3)
    train()
    assert (torch.rand(1), np.random.rand()) == expected
