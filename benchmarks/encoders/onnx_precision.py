"""Measure what fewer bits a weight cost: an exported encoder on STS-B's test pairs, by cosine.

The reader beside the graph knows nothing of this project: all that it needs stands in the file.

Example:
  python benchmarks/encoders/onnx_precision.py flickr8k-v1 STS/STSBenchmark/sts-test.csv -o onnx.csv
"""

import argparse
import csv
import json
import re
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
from common import MODEL, program

from groundvec import SentenceEncoder
from groundvec.evaluation.correlation import pearson
from groundvec.export.onnx import PRECISIONS, export
from groundvec.model import hub
from groundvec.model.network import load_ensemble


def encode(path: str | Path, sentences: list[str]) -> np.ndarray:
    """Embed sentences by an exported encoder of characters: (sentences, size)."""
    graph = onnxruntime.InferenceSession(path)
    about = json.loads(graph.get_modelmeta().custom_metadata_map["groundvec"])
    index = {character: i for i, character in enumerate(about["text"]["characters"], 2)}

    def read(sentence: str) -> list[int]:
        sentence = re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", sentence).strip()
        for pattern, replacement in about["substitutions"]:
            sentence = re.sub(pattern, replacement, sentence)
        finished = sentence if sentence.endswith(".") else f"{sentence} ."
        return [index.get(character, 1) for character in finished]

    result: list[np.ndarray] = []
    for start in range(0, len(sentences), 64):
        batch = [read(sentence) for sentence in sentences[start : start + 64]]
        lengths = np.array([len(each) for each in batch])
        indices = np.zeros((len(batch), lengths.max()), np.int64)
        for row, each in zip(indices, batch, strict=True):
            row[: len(each)] = each
        result += graph.run(None, {"indices": indices, "lengths": lengths})
    return np.concatenate(result)


def scores(given: argparse.Namespace) -> pd.DataFrame:
    """Measure megabytes, the largest difference and Pearson's r of PyTorch and each precision."""
    with given.pairs.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    ratings = np.array([float(line[4]) for line in lines])
    sentences = [line[5] for line in lines] + [line[6] for line in lines]
    models = load_ensemble(hub.find(given.model))
    encoder = SentenceEncoder(models)
    expected = encoder.encode(sentences)

    def r(vectors: np.ndarray) -> float:
        one, other = np.split(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), 2)
        return pearson((one * other).sum(axis=1), ratings)

    found = [("PyTorch", np.nan, 0.0, r(expected))]
    with tempfile.TemporaryDirectory() as folder:
        for precision in PRECISIONS:
            path = Path(folder, f"{precision}.onnx")
            export(models, path, precision=precision)
            vectors = encode(path, sentences)
            megabytes = path.stat().st_size / 1e6
            found.append((precision, megabytes, np.abs(vectors - expected).max(), r(vectors)))
    table = pd.DataFrame(found, columns=["weights", "megabytes", "largest_difference", "pearson"])
    return table.assign(encoder=given.model)


if __name__ == "__main__":
    program(__doc__, scores, model=MODEL, pairs={"type": Path, "help": "sts-test.csv"})
