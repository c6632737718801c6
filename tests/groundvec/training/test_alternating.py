"""Networks that are trained in turn (Socher et al. 2014, section 5)."""

from hypothesis import given
from hypothesis import strategies as st

from groundvec.training import loop
from tests.support.examples import description
from tests.support.trainings import train, weights


def test_networks_are_trained_in_turn(tmp_path):
    settings = {"epochs": 4, "cycle": 1, "alternate": 1, "batch_size": 4}
    train(tmp_path, described=description({"name": "bag", "size": 4, "embedding": 5}, **settings))
    for epoch in range(1, 5):
        before = weights(tmp_path, epoch - 1)
        after = weights(tmp_path, epoch)
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
