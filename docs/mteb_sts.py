"""MTEB's tasks of rated sentence pairs on a model, beside SentEval's measures of the same pairs.

MTEB downloads its own copies of the pairs. Here its tasks are given those of the public archives of
STS and SICK, so that nothing is downloaded. It needs `pip install mteb`.

Example:
  groundvec export flickr8k -o encoder
  python docs/mteb_sts.py encoder STS/ SICK/
"""

import argparse
from functools import partial
from pathlib import Path

import mteb
import pandas as pd
from datasets import Dataset
from sentence_transformers import SentenceTransformer

from groundvec.data.ratings import SICK, STSB, read_sts
from groundvec.evaluation import ratings as senteval

BATCH = 128  # sentences
TASKS = {f"STS{year}": f"STS 20{year}" for year in range(12, 17)}
TASKS |= {"STSBenchmark": STSB[0], "SICK-R": SICK[0]}


def mteb_score(model: SentenceTransformer, name: str, pairs: pd.DataFrame) -> float:
    """Its main score: Spearman's correlation of all pairs' cosines with their ratings."""
    task = mteb.get_task(name)
    columns = {"sentence_a": "sentence1", "sentence_b": "sentence2", "rating": "score"}
    data = pairs[[*columns]].rename(columns=columns)
    task.dataset = {"test": Dataset.from_pandas(data, preserve_index=False)}
    task.data_loaded = True
    expected = task.metadata.descriptive_stats["test"]["num_samples"]
    assert len(data) == expected, f"MTEB's {name} has {expected} pairs, these are {len(data)}"
    result = mteb.evaluate(model, task, cache=None, encode_kwargs={"batch_size": BATCH})
    return float(result.task_results[0].get_score())


def senteval_scores(model: SentenceTransformer, ratings: pd.DataFrame) -> tuple[int, float]:
    """The test pairs and Pearson's r.

    Of STS 2012-2016 it is the subtasks' weighted mean, of the others that of the classifier.
    """
    encode = partial(model.encode, batch_size=BATCH, tokenised=True)
    scores = senteval.evaluate(senteval.predict(ratings, encode))
    wanted = (scores.statistic == "weighted mean") & (scores.task != "all")
    one = scores[wanted | (scores.method == "classifier")].iloc[0]
    return int(one.pairs), float(one.pearson)


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
    print("| task | MTEB's pairs | Spearman | SentEval's pairs | Pearson |\n|---|--:|--:|--:|--:|")
    for name, task in TASKS.items():
        pairs = raw[raw.task == task]
        if name != "SICK-R":  # of which MTEB takes all pairs
            pairs = pairs[pairs.split == "test"]
        count, r = senteval_scores(model, prepared[prepared.task == task])
        print(
            f"| {name} | {len(pairs):,} | {100 * mteb_score(model, name, pairs):.1f} "
            f"| {count:,} | {100 * r:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
