"""MTEB's tasks of rated sentence pairs on a model, beside SentEval's measures of the same pairs.

MTEB downloads its own copies of the pairs. Here its tasks are given those of the public archives of
STS and SICK, so that nothing is downloaded. It needs `pip install mteb`.

Example:
  groundvec export flickr8k -o encoder
  python docs/mteb_sts.py encoder STS/ SICK/
"""

import argparse
from pathlib import Path

import mteb
import pandas as pd
from datasets import Dataset
from sentence_transformers import SentenceTransformer

from groundvec.data.ratings import SICK, STSB, read_sts
from groundvec.evaluation import ratings as senteval

TASKS = {f"STS{year}": f"STS 20{year}" for year in range(12, 17)}
TASKS |= {"STSBenchmark": STSB[0], "SICK-R": SICK[0]}


def mteb_scores(model: SentenceTransformer, name: str, pairs: pd.DataFrame) -> dict[str, float]:
    """Of all pairs of a task at once, by their cosines."""
    task = mteb.get_task(name)
    columns = {"sentence_a": "sentence1", "sentence_b": "sentence2", "rating": "score"}
    data = pairs[[*columns]].rename(columns=columns)
    task.dataset = {"test": Dataset.from_pandas(data, preserve_index=False)}
    task.data_loaded = True
    expected = task.metadata.descriptive_stats["test"]["num_samples"]
    assert len(data) == expected, f"MTEB's {name} has {expected} pairs, these are {len(data)}"
    result = mteb.evaluate(model, task, cache=None, encode_kwargs={"batch_size": 256})
    scores = result.task_results[0].scores["test"][0]
    return {"pairs": len(data), "Spearman": scores["spearman"], "Pearson": scores["pearson"]}


def senteval_scores(model: SentenceTransformer, ratings: pd.DataFrame) -> pd.DataFrame:
    """By task: of STS 2012-2016 the subtasks' mean, of the others the classifier's; Pearson."""
    scores = senteval.evaluate(senteval.predict(ratings, model.encode))
    wanted = (scores.statistic == "weighted mean") | (scores.method == "classifier")
    return scores[wanted].set_index("task")[["pairs", "pearson", "spearman"]]


def main() -> None:
    """Print both, as a table."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("model", help="a folder that SentenceTransformer loads")
    parser.add_argument("folders", nargs="+", type=Path, help="what the archives were unpacked to")
    arguments = parser.parse_args()
    model = SentenceTransformer(arguments.model, trust_remote_code=True)
    raw, _ = read_sts(arguments.folders, tokenizer="none", lowercase=())
    prepared, _ = read_sts(arguments.folders)  # as SentEval: tokenised, and STS lowercased
    found = senteval_scores(model, prepared)
    rows = []
    for name, task in TASKS.items():
        pairs = raw[raw.task == task]
        if name != "SICK-R":  # of which MTEB takes all pairs
            pairs = pairs[pairs.split == "test"]
        rows.append({"task": name} | mteb_scores(model, name, pairs) | dict(found.loc[task]))
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.4f}".format))


if __name__ == "__main__":
    main()
