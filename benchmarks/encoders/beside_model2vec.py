r"""Compare the speed of `flickr8k-bag` with that of model2vec, in sentences per processor second.

model2vec has random vectors of 256 numbers, as many as potion-base-8M's; they do not change its
time. Its WordPiece vocabulary is learned from the sentences, which it cuts as BERT does. It needs
`pip install model2vec`. The contestants take turns; rates and ratios are medians of the rounds.

Example:
  cut -f2 Flickr8k.token.txt | shuf --random-source=Flickr8k.token.txt -n 20000 > captions.txt
  OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 python benchmarks/encoders/beside_model2vec.py \
      captions.txt -o docs/results/flickr8k-bag-v1/speed.csv
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import cast

import numpy as np
import pandas as pd
from common import program
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.trainers import WordPieceTrainer

from groundvec import SentenceEncoder
from groundvec.numpy_backend import Network
from reproduction.arguments import make_parser

NUMBERS = 256
VOCABULARY = 30_000  # as BERT's; captions have fewer words
ONE_BY_ONE = 1_000  # sentences that are encoded one at a time
BY_GRU = 2_000  # sentences for the slower encoder
BATCH = "all at once"
SINGLE = "one by one"


def measure(arguments: argparse.Namespace) -> pd.DataFrame:
    """Measure all encoders in turn."""
    sentences = arguments.sentences.read_text().splitlines()
    static = static_model(sentences)
    bag = SentenceEncoder("flickr8k-bag", device="cpu")
    gru = SentenceEncoder("flickr8k", device="cpu")

    def one_by_one(encode: Callable[[str], object]) -> int:
        for sentence in sentences[:ONE_BY_ONE]:
            encode(sentence)
        return ONE_BY_ONE

    def all_at_once(encode: Callable[[list[str]], object], count: int) -> int:
        encode(sentences[:count])
        return len(sentences[:count])

    def by_new_bag() -> int:
        """Forget the tokens that were met, as if the encoder was loaded again."""
        for tokens in cast(Network, bag.models[0]).tokens.values():
            tokens.clear()
        return all_at_once(bag.encode, len(sentences))

    def by_model2vec() -> int:
        static.encode(sentences, use_multiprocessing=False)
        return len(sentences)

    contestants: dict[tuple[str, str], Callable[[], int]] = {
        ("model2vec", BATCH): by_model2vec,
        ("flickr8k-bag, new", BATCH): by_new_bag,
        ("flickr8k-bag", BATCH): lambda: all_at_once(bag.encode, len(sentences)),
        ("flickr8k", BATCH): lambda: all_at_once(gru.encode, BY_GRU),
        ("model2vec", SINGLE): lambda: one_by_one(static.encode),
        ("flickr8k-bag", SINGLE): lambda: one_by_one(bag.encode),
        ("flickr8k", SINGLE): lambda: one_by_one(gru.encode),
    }
    rates: dict[tuple[str, str], list[float]] = {case: [] for case in contestants}
    for _ in range(arguments.rounds):
        for case, run in contestants.items():
            start = process_time()
            count = run()
            rates[case].append(count / (process_time() - start))
    rows = []
    for (encoder, how), measured in rates.items():
        ratios = np.divide(measured, rates["model2vec", how])
        rows.append(
            {
                "encoder": encoder,
                "sentences": how,
                "numbers": {"model2vec": NUMBERS}.get(encoder, bag.dim),
                "per_second": np.median(measured).round(),
                "times_model2vec": np.median(ratios).round(2),
                "lowest": ratios.min().round(2),
                "highest": ratios.max().round(2),
            }
        )
    return pd.DataFrame(rows)


def static_model(sentences: list[str]) -> StaticModel:
    """Build a model of model2vec with random vectors."""
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    special = ["[PAD]", "[UNK]"]
    trainer = WordPieceTrainer(
        vocab_size=VOCABULARY, min_frequency=1, special_tokens=special, show_progress=False
    )
    tokenizer.train_from_iterator(sentences, trainer)
    shape = (tokenizer.get_vocab_size(), NUMBERS)
    vectors = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    return StaticModel(vectors, tokenizer, normalize=True)


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("sentences", type=Path, help="a text file, one sentence per line")
    parser.add_argument("--rounds", type=int, default=5, help="(default: %(default)s)")
    program(parser, measure)
