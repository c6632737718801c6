r"""SentEval's own scores of an encoder, beside those of `groundvec evaluate`.

SentEval gets the tokenized pairs in files of its own form, and the encoder's vectors. It is a clone
of github.com/facebookresearch/SentEval, and no package. Two things are replaced so that it runs
today: its classifiers are trained without a GPU, and its arrays of lists are arrays of objects.

Example:
  groundvec evaluate ratings --model flickr8k-v4 --folder STS/ SICK/ -o flickr8k-v4.csv
  python benchmarks/encoders/senteval_scores.py SentEval/ STS/ SICK/ --model flickr8k-v4 \
      --beside flickr8k-v4.csv -o senteval.csv
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import torch
from common import BESIDE, FOLDERS, MODEL, program

from groundvec import SentenceEncoder
from groundvec.data.ratings import SICK, SICK_FILES, STS, STSB, read_sts

PAIR = ["sentence_a", "sentence_b"]
KEYS = ["task", "subtask", "statistic"]
BATCH = 128


def write_pairs(pairs: pd.DataFrame, folder: Path) -> None:
    """Write pairs of `read_sts` to the files that SentEval reads."""
    for of, rows in pairs.groupby(["task", "subtask", "split"]):
        task, subtask, split = map(str, of)
        rows = rows[[*PAIR, "rating"]].astype(str)
        if task in STS:
            [name] = [file for of, file, _ in STS[task] if of == subtask]
            year = folder / task
            year.mkdir(exist_ok=True)
            sentences = rows["sentence_a"] + "\t" + rows["sentence_b"]
            (year / f"STS.input.{name}.txt").write_text("\n".join(sentences))
            (year / f"STS.gs.{name}.txt").write_text("\n".join(rows["rating"]))
        elif task == STSB[0]:
            lines = "-\t\t\t\t" + rows["rating"] + "\t" + rows["sentence_a"]
            (folder / f"sts-{split}.csv").write_text("\n".join(lines + "\t" + rows["sentence_b"]))
        else:
            lines = "-\t" + rows["sentence_a"] + "\t" + rows["sentence_b"] + "\t" + rows["rating"]
            (folder / f"{SICK_FILES[split]}.txt").write_text("\n".join(["header", *lines]))


def array(values: Any) -> np.ndarray:
    """Return what np.array made of lists of different lengths."""
    lists = isinstance(values[0], list)
    return np.fromiter(values, object, len(values)) if lists else np.array(values)


def without_gpu() -> Any:
    """Return what SentEval's classifier uses of torch; it insists on a GPU."""
    for class_ in (torch.Tensor, torch.nn.Module):
        setattr(class_, "cuda", lambda self: self)  # noqa: B010
    return SimpleNamespace(
        manual_seed=torch.manual_seed,
        from_numpy=torch.from_numpy,
        no_grad=torch.no_grad,
        cuda=SimpleNamespace(is_available=lambda: True, manual_seed=lambda seed: None),
    )


def score(folder: Path, vectors: dict[str, np.ndarray]) -> pd.DataFrame:
    """Run SentEval: correlations, a row for each subtask and mean, in the form of `evaluate`."""
    from senteval import sick, sts
    from senteval.tools import relatedness

    sts.np = SimpleNamespace(**{**vars(np), "array": array})
    relatedness.torch = without_gpu()

    def batcher(_: Any, sentences: list[list[str]]) -> np.ndarray:
        return np.stack([vectors[" ".join(words)] for words in sentences])

    def run(evaluation: Any) -> Any:
        return evaluation.run(SimpleNamespace(batch_size=BATCH), batcher)

    def both(of: Any, key: Any) -> tuple[float, float]:
        return of["pearson"][key], of["spearman"][key]

    rows: list[tuple[Any, ...]] = []
    for task, subtasks in STS.items():
        evaluation = getattr(sts, f"STS{task[-2:]}Eval")(str(folder / task))
        evaluation.similarity = lambda a, b: np.nan_to_num(sts.cosine(a, b))
        found = run(evaluation)
        rows += [(task, own, "correlation", *both(found[name], 0)) for own, name, _ in subtasks]
        means = {"mean": "mean", "weighted mean": "wmean"}
        rows += [(task, "all", own, *both(found["all"], name)) for own, name in means.items()]
    classified = {STSB: sts.STSBenchmarkEval, SICK: sick.SICKRelatednessEval}
    for (task, subtask, _), evaluation in classified.items():
        found = run(evaluation(str(folder)))
        rows.append((task, subtask, "correlation", found["pearson"], found["spearman"]))
    return pd.DataFrame(rows, columns=[*KEYS, "senteval_pearson", "senteval_spearman"])


def scores(given: argparse.Namespace) -> pd.DataFrame:
    """Score the encoder by SentEval, beside the scores that are given."""
    sys.path.insert(0, str(given.senteval))
    commit = subprocess.check_output(
        ["git", "-C", given.senteval, "rev-parse", "--short=12", "HEAD"], text=True
    )
    pairs, _ = read_sts(given.folders)
    sentences = pd.concat([pairs[side] for side in PAIR]).unique().tolist()
    encoded = SentenceEncoder(given.model).encode(sentences)
    vectors = {" ".join(s.split()): of for s, of in zip(sentences, encoded, strict=True)}
    with tempfile.TemporaryDirectory() as folder:
        write_pairs(pairs, Path(folder))
        theirs = score(Path(folder), vectors)
    ours = pd.read_csv(given.beside)
    ours = ours[ours["definition"].str.startswith("SentEval")]
    of_classifier = ours["definition"].eq("SentEval classifier")
    ours = ours[of_classifier | ~ours["task"].isin([STSB[0], SICK[0]])]
    measures = ["pearson", "spearman"]
    table = theirs.merge(ours[[*KEYS, "definition", *measures]], on=KEYS, validate="1:1")
    assert len(table) == len(theirs)
    return table.assign(senteval_commit=commit.strip())


if __name__ == "__main__":
    senteval = {"type": Path, "help": "a clone of SentEval"}
    options = {"senteval": senteval, "folders": FOLDERS}
    program(__doc__, scores, **options, __model={**MODEL, "required": True}, __beside=BESIDE)
