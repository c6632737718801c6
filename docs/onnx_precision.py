"""What fewer bits a weight cost: the exported encoder on the test pairs of STS-B, by cosine.

The reader beside the graph knows nothing of this project: all that it needs stands in the file.

Example:
  python docs/onnx_precision.py flickr8k-v1 STS/STSBenchmark/sts-test.csv -o onnx.csv
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

from groundvec import SentenceEncoder
from groundvec.evaluation.correlation import pearson
from groundvec.export.onnx import PRECISIONS, export
from groundvec.runtime.files import write_csv
from groundvec.runtime.provenance import provenance


def encode(path: str | Path, sentences: list[str]) -> np.ndarray:
    """Vectors (sentences, size) of an exported encoder of characters."""
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


def scores(model: str, pairs: Path) -> pd.DataFrame:
    """For PyTorch and each precision: megabytes, the largest difference, and Pearson's r."""
    with pairs.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    ratings = np.array([float(line[4]) for line in lines])
    sentences = [line[5] for line in lines] + [line[6] for line in lines]
    encoder = SentenceEncoder.load(model, device="cpu")
    expected = encoder.encode(sentences)

    def r(vectors: np.ndarray) -> float:
        one, other = np.split(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), 2)
        return pearson((one * other).sum(axis=1), ratings)

    found = [("PyTorch", np.nan, 0.0, r(expected))]
    with tempfile.TemporaryDirectory() as folder:
        for precision in PRECISIONS:
            path = Path(folder, f"{precision}.onnx")
            export(encoder.models, path, precision=precision)
            vectors = encode(path, sentences)
            megabytes = path.stat().st_size / 1e6
            found.append((precision, megabytes, np.abs(vectors - expected).max(), r(vectors)))
    return pd.DataFrame(found, columns=["weights", "megabytes", "largest_difference", "pearson"])


def main() -> None:
    """Write a row for PyTorch and for each precision."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("model", help="a folder, or the name of one that comes with groundvec")
    parser.add_argument("pairs", type=Path, help="sts-test.csv")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    table = scores(arguments.model, arguments.pairs)
    print(table.to_string(index=False))
    write_csv(arguments.output, table.assign(encoder=arguments.model, **provenance()))


if __name__ == "__main__":
    main()
