"""The choice of the best snapshots."""

from groundvec.model.folder import epochs_compared, epochs_rated_few


def test_single_queries_are_stored_of_the_untrained_network_both_ends_and_the_best():
    model = {"snapshots": [4, 8, 12, 16], "saved": [0, 1, 2, 4, 8, 12, 16]}
    assert epochs_compared(model, {"epochs": [8, 12], "best": 12}) == {0, 4, 12, 16}
    assert epochs_rated_few(model, {"epochs": [8, 12], "best": 12}) == [0, 8, 12]
