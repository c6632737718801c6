"""Networks that are trained in turn (Socher et al. 2014, section 5)."""

from hypothesis import given
from hypothesis import strategies as st

from groundvec.config.description import complete_description
from groundvec.training import loop
from tests.support.trainings import train, weights


def described(**training):
    return complete_description(
        {
            "languages": ["en"],
            "text": {"name": "characters"},
            "encoder": {"name": "bag", "size": 4, "embedding": 5},
            "objective": {"name": "hinge", "margin": 3, "reduction": "sum"},
            "similarity": "dot",
            "training": {
                "optimiser": {"name": "adagrad", "learning_rate": 0.1, "l2": 0.01},
                "batch_size": 4,
                **training,
            },
        }
    )


def test_networks_are_trained_in_turn(tmp_path):
    train(tmp_path, described=described(epochs=4, cycle=1, alternate=1))
    for epoch in range(1, 5):
        before, after = weights(tmp_path, epoch - 1), weights(tmp_path, epoch)
        changed = {name.split(".")[0] for name in after if not before[name].equal(after[name])}
        assert changed == ({"image"} if epoch % 2 else {"captions"})


@given(st.integers(1, 3), st.integers(1, 3), st.integers(2, 4))
def test_snapshots_are_candidates_once_both_networks_are_trained(cycle, alternate, times):
    settings = {"cycle": cycle, "epochs": cycle * alternate * times, "alternate": alternate}
    candidates = loop.candidate_epochs(settings)
    assert candidates[-1] == settings["epochs"]
    assert min(candidates) > alternate  # before, images alone are trained
    assert loop.candidate_epochs(settings | {"alternate": 0})[: -len(candidates)] == [
        epoch for epoch in range(cycle, 2 * alternate, cycle)
    ]
