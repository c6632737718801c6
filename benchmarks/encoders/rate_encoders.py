r"""Rate an encoder that has no command of its own, for the table of docs/evaluate.md.

`trigrams`: hashed character trigrams. `bag`: the mean of GloVe's 100-d vectors of a sentence's
tokens. `outputs`, `state`: a part of the vector of `flickr8k-v4`. `printable`: a trained model of
characters, where each character of `string.printable` that no caption has gets a random embedding
in place of zeros, as in Merkx & Frank's published code. The result is that of `groundvec evaluate
ratings -o`.

Examples:
  python benchmarks/encoders/rate_encoders.py trigrams -o trigrams.csv
  python benchmarks/encoders/rate_encoders.py bag -o bag.csv \
      --vectors data/glove/glove.6B.zip/glove.6B.100d.txt
  python benchmarks/encoders/rate_encoders.py printable --model FOLDER -o printable.csv
"""

import argparse
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pandas as pd
from common import program

from groundvec import SentenceEncoder, baselines, evaluate
from groundvec.data.tokenization import prepare

SEED = 0
PARTS = {  # of the vector of flickr8k-v4
    "outputs": slice(512),  # what training compares with pictures
    "state": slice(512, None),
}


def bag(vectors: Path) -> Any:
    """Read GloVe's words, which are in lower case; sentences are tokenized, as SentEval's are."""
    encoder = baselines.load("bag-of-words", vectors=vectors)
    return lambda sentences: encoder.encode(prepare(sentences, "moses", True))


def part(name: str) -> Any:
    """Encode sentences by one of `PARTS`."""
    encoder = SentenceEncoder("flickr8k-v4")
    return lambda sentences: encoder.encode(sentences)[:, PARTS[name]]


def printable(folder: str) -> SentenceEncoder:
    """Load a model, and add the characters of `string.printable` that it does not know."""
    import torch

    from groundvec.model.network import load_ensemble
    from groundvec.text.characters import Text

    models = load_ensemble(folder)
    for model in models:
        torch.manual_seed(SEED)  # snapshots of one training share what it never changed
        text = model.texts["en"]
        table = cast(Any, model.captions["en"]).embedding
        new = "".join(sorted({*string.printable} - {*text.characters}))
        model.texts["en"] = Text(text.characters + new, [*text.counts, *len(new) * [0]])
        drawn = torch.randn(len(new), table.embedding_dim)
        table.weight = torch.nn.Parameter(torch.cat([table.weight, drawn]))
    return SentenceEncoder(models)


def scores(given: argparse.Namespace) -> pd.DataFrame:
    """Rate the encoder that is named."""
    encoders: dict[str, Callable[[], Any]] = {
        "trigrams": lambda: baselines.load("trigrams"),
        "bag": lambda: bag(given.vectors),
        "printable": lambda: printable(given.model),
    }
    encoder = encoders.get(given.encoder, lambda: part(given.encoder))()
    return evaluate.ratings(encoder).scores.assign(encoder=given.encoder)


if __name__ == "__main__":
    program(
        __doc__,
        scores,
        encoder={"choices": ["trigrams", "bag", "printable", *PARTS]},
        __vectors={"type": Path, "help": "bag: GloVe's vectors, FILE or ZIP/MEMBER"},
        __model={"help": "printable: its folder"},
    )
