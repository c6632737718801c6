"""Which of two systems is better: sections 4.3 and 4.3.4 of Merkx & Frank (2019)."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from groundvec.results.frames import read_csv
from reproduction.papers.merkx_frank_2019 import section_4_3, section_4_3_4
from reproduction.papers.merkx_frank_2019.reported import read_correlations
from tests.support.refusals import refused
from tests.support.result_files import REPORTED, SELECTED, SYSTEM, read_table, rows, run, shown


def test_the_intervals_reproduce_the_paper_s_counts():
    """Section 4.3: 20 over BOW, 22 of InferSent over BOW, 6 and 3, and 16 on par with InferSent."""
    reported = read_correlations(REPORTED / "table_s1.csv")
    table = section_4_3.outside_intervals(
        reported.rename(columns={"system": "name", "pearson": "r", "pairs": "n"})
    ).set_index(["a", "b"])
    flickr = "char-GRU Flickr8k"
    mscoco = "char-GRU MSCOCO"
    found = {pair: tuple(row[["a_interval", "b_interval"]]) for pair, row in table.iterrows()}
    assert table["subtasks"].eq(26).all()
    assert found[flickr, mscoco] == (6, 3)
    assert found["BOW", flickr] == (1, 20)  # the one is FNWN
    assert found["BOW", "InferSent"] == (0, 22)
    assert found["InferSent", flickr] == (7, 26 - 16 - 7)


@given(
    st.lists(st.integers(-1000, 1000).map(lambda k: k / 1000), min_size=1, max_size=5),
    st.sampled_from([4, 10, 100, 1_000, 10**9]),
    st.integers(-4, 4),
)
def test_equal_correlations_are_never_better(r, n, ulps):
    """Nor those that differ by the last bits; of 10**9 pairs the interval has hardly a width."""
    correlations = np.array([*r, 1.0])
    moved = np.clip(correlations * (1 + ulps * np.finfo(float).eps), -1, 1)
    tables = [
        pd.DataFrame({"name": name, "task": "t", "subtask": range(len(values)), "r": values})
        for name, values in (("a", correlations), ("b", moved))
    ]
    [row] = section_4_3.outside_intervals(pd.concat(tables).assign(n=n)).itertuples()
    assert (row.a_interval, row.b_interval) == (0, 0)


def section(folder, predictions, retrieval):
    """Write the table of section 4.3."""
    options = ["--reported", REPORTED / "table_s1.csv", "--output", folder / "section_4_3"]
    run("--predictions", *predictions, *retrieval, *options)


# p < 5% on the 1st and 2nd for A, on the 4th for B; also after Holm.
# r is 1 thrice and 0.8 (0.716 to 0.861) else: above the untrained on three.
MEASURED = """\
# Measured
gru-8-max Flickr8k | gru-8-max Flickr8k, epoch 4 | 4 | 2 | 1 | 2 | 1 | 3 | 0
gru-8-max Flickr8k | untrained gru-8-max | 4 | 2 | 1 | 2 | 1 | 3 | 0
gru-8-max Flickr8k | trigrams | 4 | 2 | 1 | 2 | 1 | 0 | 1
gru-8-max Flickr8k, epoch 4 | untrained gru-8-max | 4 | 0 | 0 | 0 | 0 | 0 | 0
gru-8-max Flickr8k, epoch 4 | trigrams | 4 | 0 | 0 | 0 | 0 | 0 | 4
untrained gru-8-max | trigrams | 4 | 0 | 0 | 0 | 0 | 0 | 4
"""


def test_significance_counts_both_ways_raw_and_corrected(tmp_path, retrieval, monkeypatch):
    """Four subtasks, on which the ensemble wins three times by p = 0.02 and loses once."""
    subtasks = ["MSRpar", "MSRvid", "SMTeuroparl", "OnWN"]
    columns = {"pair": range(400), "task": "STS 2012", "subtask": np.repeat(subtasks, 100)}
    columns |= {"rating": np.tile([0.0, 1, 2, 3, 4], 80), "classifier": None}
    table = pd.DataFrame(columns | {"kind": "ensemble", "epochs": "4"})
    good = np.tile([0.0, 0.1, 0.2, 0.3, 0.4], 80)  # r = 1
    bad = np.tile([0.1, 0.0, 0.2, 0.4, 0.3], 80)  # r = 0.8
    systems = [
        table.assign(system=SYSTEM, cosine=np.r_[good[:300], bad[300:]]),
        table.assign(system=SYSTEM, cosine=bad, kind="snapshot"),
        table.assign(system=SYSTEM, cosine=bad, kind="snapshot", epochs="0"),
        table.assign(system="trigrams", cosine=good, kind="baseline", epochs=None),
    ]

    def compare(a, b):
        p = np.full(4, 0.5)
        if a["name"].iloc[0] == "gru-8-max Flickr8k":
            p = np.array([0.02, 0.001, 0.2, 0.01])
        rows = pd.DataFrame({"task": "STS 2012", "subtask": subtasks, "n": 100, "t": [2, 2, 2, -2]})
        return rows.assign(r_a=0.1, r_b=0.2, p=p, p_holm=np.minimum(1, p * [2, 4, 1, 3]))

    monkeypatch.setattr(section_4_3, "compare", compare)
    path = tmp_path / "predictions.csv"
    pd.concat(systems[:3]).to_csv(path, index=False)
    systems[3].to_csv(tmp_path / "trigrams.csv", index=False)
    section(tmp_path, [path, tmp_path / "trigrams.csv"], retrieval)
    counts = shown(tmp_path / "section_4_3.md")
    assert counts.startswith(MEASURED)
    # MSRvid, and OnWN: 64.5 is above 57.0 + 4.6
    assert "BOW (reported) | InferSent (reported) | 4 | - | - | - | - | 0 | 2\n" in counts
    assert len(pd.read_csv(tmp_path / "section_4_3-tests.csv")) == 6 * 4


CURVES = """
dataset  | model      | seed | measure        | epoch | value
flickr8k | gru-8-max  | 1    | training task  | 8     | 50
flickr8k | gru-8-max  | 1    | training task  | 0     | 1
flickr8k | gru-8-max  | 1    | training task  | 3     | 40
flickr8k | gru-8-max  | 1    | training task  | 6     | 45
flickr8k | gru-8-max  | 1    | semantic score | 0     | -5
flickr8k | gru-8-max  | 1    | semantic score | 4     | 60
flickr8k | gru-8-max  | 1    | semantic score | 6     | 64
flickr8k | gru-8-max  | 1    | semantic score | 8     | 48
flickr8k | gru-8-max  | 2    | training task  | 0     | 99
flickr8k | lstm-8-max | 1    | training task  | 0     | 99
"""
CHANGES = """\
# Flickr8k
training task | reported | - | - | - | 12.8 | -
training task | measured | 40.0 (epoch 3) | 50.0 (epoch 8) | 50.0 (epoch 8) | 25.0 | 0.0
semantic score | reported | - | - | - | - | -4.6
semantic score | measured | 60.0 (epoch 4) | 64.0 (epoch 6) | 48.0 (epoch 8) | -20.0 | -25.0
"""


def test_section_4_3_4_has_the_changes_since_epoch_four_and_the_peak(tmp_path):
    curves = read_table(CURVES)
    reported = read_csv(REPORTED / "section_4_3_4.csv")
    table = section_4_3_4.changes(curves, reported, SELECTED)
    section_4_3_4.write_changes(tmp_path / "s", table, "gru-8-max")
    assert shown(tmp_path / "s.md") == CHANGES
    from_zero = section_4_3_4.changes(curves[:2].assign(value=[50.0, 0.0]), reported, SELECTED)
    assert np.isnan(from_zero["since_early"].iloc[1]) and from_zero["since_peak"].iloc[1] == 0


def test_tasks_without_reported_numbers_are_tested_and_systems_of_other_pairs_are_named(
    files, retrieval, tmp_path
):
    section(tmp_path, files, retrieval)
    assert list(rows((tmp_path / "section_4_3.md").read_text("utf-8")))[1:] == ["Measured"]
    # Every two of four systems, on two subtasks
    assert len(pd.read_csv(tmp_path / "section_4_3-tests.csv")) == 6 * 2
    table = pd.read_csv(files[1])
    table[1:].to_csv(files[1], index=False)
    with refused(r"gru-8-max Flickr8k and trigrams: .*same pairs"):
        section(tmp_path, files, retrieval)
