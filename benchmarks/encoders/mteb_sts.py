r"""Compare MTEB's scores of a model on rated sentence pairs with those of `groundvec evaluate`.

MTEB usually downloads its copies of the pairs. Here its tasks get the pairs of the public archives
of STS and SICK, so nothing is downloaded. It needs `pip install mteb`.

Example:
  groundvec export flickr8k-v5 --to mteb -o entry.py
  python benchmarks/encoders/mteb_sts.py entry.py STS/ SICK/ --beside flickr8k-v5.csv \
      -o mteb.csv
"""

import argparse
import runpy
from pathlib import Path
from typing import Any

import mteb
import pandas as pd
from common import FOLDERS, SCORES, program
from datasets import Dataset

from groundvec.data.ratings import TASKS
from groundvec.evaluate import read_rated
from reproduction.arguments import make_parser

NAMES = {f"STS 20{year}": f"STS{year}" for year in range(12, 17)}
NAMES |= {"STS-B": "STSBenchmark", "SICK": "SICK-R"}


def score(model: Any, name: str, pairs: pd.DataFrame) -> float:
    """Compute a task's main score: Spearman's correlation of the cosines with the ratings."""
    task = mteb.get_task(name)
    columns = {"sentence_a": "sentence1", "sentence_b": "sentence2", "rating": "score"}
    data = pairs[[*columns]].rename(columns=columns)
    task.dataset = {"test": Dataset.from_pandas(data, preserve_index=False)}
    task.data_loaded = True  # MTEB would download its copy otherwise
    # MTEB knows how many pairs its copy has, so a missing file is noticed.
    expected = task.metadata.descriptive_stats["test"]["num_samples"]
    assert len(data) == expected, f"MTEB's {name} has {expected} pairs, these are {len(data)}"
    result = mteb.evaluate(model, task, cache=None, encode_kwargs={"batch_size": 128})
    return float(result.task_results[0].get_score())


def scores(arguments: argparse.Namespace) -> pd.DataFrame:
    """Score the model: one row per task."""
    model = runpy.run_path(str(arguments.entry))["META"]
    pairs = read_rated(TASKS, arguments.folders)["MTEB"]
    beside = pd.read_csv(arguments.beside).query("definition == 'MTEB cosine'")
    evaluated = beside.set_index("task")["spearman"]
    rows = []
    for task, name in NAMES.items():
        of_task = pairs[pairs["task"] == task]
        rows.append(
            {
                "task": name,
                "pairs": len(of_task),
                "evaluate": evaluated[task],
                "mteb": score(model, name, of_task),
            }
        )
    return pd.DataFrame(rows).assign(mteb_version=mteb.__version__)


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("entry", type=Path, help="the file that `groundvec export --to mteb` wrote")
    parser.add_argument("folders", **FOLDERS)
    parser.add_argument("--beside", **SCORES)
    program(parser, scores)
