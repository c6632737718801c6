"""Measure the time to encode sentences, by the shipped encoder and by others.

*Ours* is `SentenceEncoder(name).encode` for the shipped encoder, in NumPy. It is compared with the
same encoder in torch, and with the network of all-MiniLM-L6-v2 in sentence-transformers. That
network has random weights, which do not change its time. Each word is one token, so its input is
shorter than with its own tokenizer.

The sentences are random words, with the lengths of Flickr8k's captions. The last row is `groundvec
similarity` of two sentences; its floor is a process that imports NumPy.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial

import numpy as np
from measure import Row, program, row, work
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from groundvec import SentenceEncoder
from groundvec.model.hub import find
from groundvec.model.network import load_ensemble

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
BATCH = 128  # sentences
Encode = Callable[[list[str]], object]
UNIT = "s for 1,000 sentences"


def rows(small: bool) -> list[Row]:
    rng = np.random.default_rng(1)
    vocabulary = words()
    rounds = 1 if small else 3
    lengths = np.clip(rng.normal(11, 4, 20 if small else 400).astype(int), 3, 30)
    sentences = [" ".join(rng.choice(vocabulary, length)) + " ." for length in lengths]
    return [*comparisons(sentences, rounds), starting(rounds)]


def words() -> list[str]:
    """Generate 8,000 words of random letters, as many as Flickr8k's captions have."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    return ["".join(rng.choice(letters, rng.integers(1, 8))) for _ in range(8000)]


def comparisons(sentences: list[str], rounds: int) -> list[Row]:
    """Compare the shipped encoder with each other one, one row each."""
    name = "flickr8k-v6"
    encoder = SentenceEncoder(name, device="cpu")
    others: dict[str, Encode] = {
        "MiniLM-L6's network": minilm(),
        "torch": SentenceEncoder(load_ensemble(find(name))).encode,
    }
    measured = []
    thousands = len(sentences) / 1000
    for other_name, other in others.items():
        # The first call sets up threads and kernels, so it is not measured.
        other(sentences[:BATCH])
        encoder.encode(sentences[:BATCH])
        ours = work(thousands, encoder.encode, sentences)
        plain = work(thousands, other, sentences)
        measured.append(row(f"{name} beside {other_name}", UNIT, ours, plain, rounds=rounds))
    return measured


def starting(rounds: int) -> Row:
    """Compare the command on two sentences with a process that only imports NumPy."""
    run = partial(subprocess.run, stdout=subprocess.DEVNULL, check=True)
    sentences = ["A dog runs.", "A cat sleeps."]
    command = [sys.executable, "-m", "groundvec", "similarity", "--device", "cpu", *sentences]
    ours = work(1, run, command)
    floor = work(1, run, [sys.executable, "-c", "import numpy"])
    what = "two sentences by `groundvec similarity`"
    return row(what, "s a process", ours, floor=floor, rounds=rounds)


def minilm() -> Encode:
    """Build the network of all-MiniLM-L6-v2 (Wang et al. 2020) in sentence-transformers."""
    names = [*SPECIAL, ".", *dict.fromkeys(words())]
    plain = Tokenizer(WordLevel({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    plain.pre_tokenizer = Whitespace()
    plain.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", model_max_length=256
    )
    config = BertConfig(hidden_size=384, num_hidden_layers=6, intermediate_size=1536)
    with tempfile.TemporaryDirectory() as folder:
        BertModel(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        modules = [Transformer(folder), Pooling(config.hidden_size), Normalize()]
        model = SentenceTransformer(modules=modules, device="cpu")
    return lambda sentences: model.encode(sentences, batch_size=BATCH, show_progress_bar=False)


if __name__ == "__main__":
    program(__doc__, rows)
