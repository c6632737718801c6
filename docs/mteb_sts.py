"""MTEB's own scores of a model on rated sentence pairs, beside those of `groundvec evaluate`.

MTEB downloads its copies of the pairs. Here its tasks get those of the public archives of STS and
SICK, so that nothing is downloaded. It needs `pip install mteb`.

Example:
  groundvec export flickr8k-v2 --to mteb -o entry.py
  python docs/mteb_sts.py entry.py STS/ SICK/ --beside flickr8k-v2.csv -o mteb.csv
"""

import argparse
import runpy
from pathlib import Path
from typing import Any

import mteb
import pandas as pd
from datasets import Dataset

from groundvec.data.ratings import TASKS
from groundvec.evaluate import read_rated
from groundvec.runtime.files import write_csv
from groundvec.runtime.provenance import provenance

NAMES = {f"STS 20{year}": f"STS{year}" for year in range(12, 17)}
NAMES |= {"STS-B": "STSBenchmark", "SICK": "SICK-R"}


def score(model: Any, name: str, pairs: pd.DataFrame) -> float:
    """Its main score: Spearman's correlation of all pairs' cosines with their ratings."""
    task = mteb.get_task(name)
    columns = {"sentence_a": "sentence1", "sentence_b": "sentence2", "rating": "score"}
    data = pairs[[*columns]].rename(columns=columns)
    task.dataset = {"test": Dataset.from_pandas(data, preserve_index=False)}
    task.data_loaded = True
    expected = task.metadata.descriptive_stats["test"]["num_samples"]
    assert len(data) == expected, f"MTEB's {name} has {expected} pairs, these are {len(data)}"
    result = mteb.evaluate(model, task, cache=None, encode_kwargs={"batch_size": 128})
    return float(result.task_results[0].get_score())


def main() -> None:
    """Write the scores, a row for each task."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("entry", type=Path, help="what `groundvec export --to mteb` wrote")
    parser.add_argument("folders", type=Path, nargs="+", help="STS and SICK, unpacked")
    parser.add_argument("--beside", type=Path, required=True, help="scores of `groundvec evaluate`")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    model = runpy.run_path(str(arguments.entry))["META"]
    pairs = read_rated(TASKS, arguments.folders)["MTEB"]
    beside = pd.read_csv(arguments.beside).query("definition == 'MTEB cosine'")
    own = beside.set_index("task")["spearman"]
    rows = [
        {"task": name, "pairs": int((pairs["task"] == task).sum()), "evaluate": own[task],
         "mteb": score(model, name, pairs[pairs["task"] == task])}
        for task, name in NAMES.items()
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    write_csv(arguments.output, table.assign(mteb_version=mteb.__version__, **provenance()))


if __name__ == "__main__":
    main()
