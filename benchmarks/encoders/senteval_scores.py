r"""Compare the scores of an encoder by SentEval and by `groundvec evaluate`.

SentEval reads the tokenized pairs from files in its own format, and gets the encoder's vectors. It
is no package, but a clone of github.com/facebookresearch/SentEval. Two patches let it run with
current versions: its classifiers are trained without a GPU, and its arrays of lists are arrays of
objects.

Example:
  groundvec evaluate ratings --model flickr8k-v5 --folder STS/ SICK/ -o flickr8k-v5.csv
  python benchmarks/encoders/senteval_scores.py SentEval/ STS/ SICK/ --model flickr8k-v5 \
      --beside flickr8k-v5.csv -o senteval.csv
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
from common import program

from groundvec import SentenceEncoder
from groundvec.data.ratings import SICK, SICK_FILES, STS, STSB, read_sts
from reproduction.arguments import FILES, make_parser

PAIR = ["sentence_a", "sentence_b"]
KEYS = ["task", "subtask", "statistic"]
BATCH = 128


def write_pairs(pairs: pd.DataFrame, folder: Path) -> None:
    """Write the pairs of `read_sts` to the files that SentEval reads."""
    for key, rows in pairs.groupby(["task", "subtask", "split"]):
        task, subtask, split = map(str, key)
        rows = rows[[*PAIR, "rating"]].astype(str)
        if task in STS:
            files = {name: file for name, file, _ in STS[task]}
            name = files[subtask]
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
    """Return an array of objects for lists of different lengths, as np.array once did."""
    lists = isinstance(values[0], list)
    return np.fromiter(values, object, len(values)) if lists else np.array(values)


def without_gpu() -> Any:
    """Return torch's functions that SentEval's classifier uses, without the need for a GPU."""
    for class_ in (torch.Tensor, torch.nn.Module):
        setattr(class_, "cuda", lambda self: self)  # noqa: B010
    return SimpleNamespace(
        manual_seed=torch.manual_seed,
        from_numpy=torch.from_numpy,
        no_grad=torch.no_grad,
        cuda=SimpleNamespace(is_available=lambda: True, manual_seed=lambda seed: None),
    )


def score(folder: Path, vectors: dict[str, np.ndarray]) -> pd.DataFrame:
    """Run SentEval; return correlations, one row per subtask and mean."""
    from senteval import sick, sts
    from senteval.tools import relatedness

    # SentEval makes arrays of lists with different lengths, which NumPy refuses today.
    patched = dict(vars(np))
    patched["array"] = array
    sts.np = SimpleNamespace(**patched)
    relatedness.torch = without_gpu()

    def batcher(_: Any, sentences: list[list[str]]) -> np.ndarray:
        return np.stack([vectors[" ".join(words)] for words in sentences])

    def run(evaluation: Any) -> Any:
        return evaluation.run(SimpleNamespace(batch_size=BATCH), batcher)

    def correlations(result: Any, key: Any) -> tuple[float, float]:
        return result["pearson"][key], result["spearman"][key]

    rows: list[tuple[Any, ...]] = []
    for task, subtasks in STS.items():
        evaluation = getattr(sts, f"STS{task[-2:]}Eval")(str(folder / task))
        # SentEval counts zero vectors as NaN; `groundvec evaluate` gives them a cosine of 0.
        evaluation.similarity = lambda a, b: np.nan_to_num(sts.cosine(a, b))
        result = run(evaluation)
        for subtask, name, _ in subtasks:
            rows.append((task, subtask, "correlation", *correlations(result[name], 0)))
        for statistic, name in {"mean": "mean", "weighted mean": "wmean"}.items():
            rows.append((task, "all", statistic, *correlations(result["all"], name)))
    classified = {STSB: sts.STSBenchmarkEval, SICK: sick.SICKRelatednessEval}
    for (task, subtask, _), evaluation in classified.items():
        result = run(evaluation(str(folder)))
        rows.append((task, subtask, "correlation", result["pearson"], result["spearman"]))
    return pd.DataFrame(rows, columns=[*KEYS, "senteval_pearson", "senteval_spearman"])


def scores(arguments: argparse.Namespace) -> pd.DataFrame:
    """Score the encoder by SentEval, and join the scores of `groundvec evaluate`."""
    sys.path.insert(0, str(arguments.senteval))
    commit = subprocess.check_output(
        ["git", "-C", arguments.senteval, "rev-parse", "--short=12", "HEAD"], text=True
    )
    pairs, _ = read_sts(arguments.folders)
    sentences = pd.concat([pairs[side] for side in PAIR]).unique().tolist()
    encoded = SentenceEncoder(arguments.model).encode(sentences)
    vectors = {}
    for sentence, vector in zip(sentences, encoded, strict=True):
        vectors[" ".join(sentence.split())] = vector
    with tempfile.TemporaryDirectory() as folder:
        write_pairs(pairs, Path(folder))
        by_senteval = score(Path(folder), vectors)
    evaluated = pd.read_csv(arguments.beside)
    evaluated = evaluated[evaluated["definition"].str.startswith("SentEval")]
    # SentEval has no cosines for STS-B and SICK.
    by_classifier = evaluated["definition"].eq("SentEval classifier")
    evaluated = evaluated[by_classifier | ~evaluated["task"].isin([STSB[0], SICK[0]])]
    columns = [*KEYS, "definition", "pearson", "spearman"]
    table = by_senteval.merge(evaluated[columns], on=KEYS, validate="1:1")
    assert len(table) == len(by_senteval)
    return table.assign(senteval_commit=commit.strip())


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("senteval", type=Path, help="a clone of SentEval")
    parser.add_argument("folders", **FILES, help="STS and SICK, unpacked")
    parser.add_argument(
        "--model", required=True, help="a folder, or the name of an encoder in the package"
    )
    parser.add_argument(
        "--beside", type=Path, required=True, help="scores of `groundvec evaluate ratings`"
    )
    program(parser, scores)
