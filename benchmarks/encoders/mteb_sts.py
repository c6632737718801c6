r"""MTEB's own scores of a model on rated sentence pairs, beside those of `groundvec evaluate`.

MTEB downloads its copies of the pairs. Here its tasks get those of the public archives of STS and
SICK, so that nothing is downloaded. It needs `pip install mteb`.

Example:
  groundvec export flickr8k-v4 --to mteb -o entry.py
  python benchmarks/encoders/mteb_sts.py entry.py STS/ SICK/ --beside flickr8k-v4.csv \
      -o mteb.csv
"""

import argparse
import runpy
from pathlib import Path
from typing import Any

import mteb
import pandas as pd
from common import BESIDE, FOLDERS, program
from datasets import Dataset

from groundvec.data.ratings import TASKS
from groundvec.evaluate import read_rated

NAMES = {f"STS 20{year}": f"STS{year}" for year in range(12, 17)}
NAMES |= {"STS-B": "STSBenchmark", "SICK": "SICK-R"}


def score(model: Any, name: str, pairs: pd.DataFrame) -> float:
    """Compute its main score: Spearman's correlation of all pairs' cosines with their ratings."""
    task = mteb.get_task(name)
    columns = {"sentence_a": "sentence1", "sentence_b": "sentence2", "rating": "score"}
    data = pairs[[*columns]].rename(columns=columns)
    task.dataset = {"test": Dataset.from_pandas(data, preserve_index=False)}
    task.data_loaded = True
    expected = task.metadata.descriptive_stats["test"]["num_samples"]
    assert len(data) == expected, f"MTEB's {name} has {expected} pairs, these are {len(data)}"
    result = mteb.evaluate(model, task, cache=None, encode_kwargs={"batch_size": 128})
    return float(result.task_results[0].get_score())


def scores(given: argparse.Namespace) -> pd.DataFrame:
    """Score the model, a row for each task."""
    model = runpy.run_path(str(given.entry))["META"]
    pairs = read_rated(TASKS, given.folders)["MTEB"]
    beside = pd.read_csv(given.beside).query("definition == 'MTEB cosine'")
    own = beside.set_index("task")["spearman"]
    rows = [
        {"task": name, "pairs": int((pairs["task"] == task).sum()), "evaluate": own[task],
         "mteb": score(model, name, pairs[pairs["task"] == task])}
        for task, name in NAMES.items()
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(mteb_version=mteb.__version__)


if __name__ == "__main__":
    entry = {"type": Path, "help": "what `groundvec export --to mteb` wrote"}
    program(__doc__, scores, entry=entry, folders=FOLDERS, __beside=BESIDE)
