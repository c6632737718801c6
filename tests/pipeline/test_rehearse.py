"""The rehearsal of an experiment, of one small model."""

import re

import pytest

from tests.support import ROOT, forks
from tests.support.workflow import with_forked_jobs

QUICK = """
experiment: quick
datasets:
  flickr8k:
    source: flickr8k
    backbone: efficientnet_lite0
    models: [gru-8-max]
    training: {epochs: 8, batch_size: 4}
"""


@pytest.mark.slow
def test_a_rehearsal_estimates_the_full_time_of_each_stage(tmp_path):
    (tmp_path / "quick.yaml").write_text(QUICK)
    command = ["tests/rehearse.py", tmp_path / "quick.yaml", "--folder", tmp_path / "rehearsal"]
    target = "results/quick/retrieval/flickr8k/gru-8-max/seed1.csv"
    result = forks.run(*command, "--", "--cores", "2", target, cwd=ROOT, env=with_forked_jobs())
    assert result.returncode == 0, result.stderr[-3000:]
    times = re.findall(r"^(\w+) +(\d+) +([\d:]+) +(\S+)", result.stdout, re.M)
    in_full = {stage: full for stage, _, _, full in times}
    assert in_full["download"] == "-"
    assert {"unpack", "dataset_flickr8k", "extract_features", "text", "retrieval"} < in_full.keys()
    assert in_full["extract_features"] > "0:03:00"  # 8,000 pictures of ten crops
