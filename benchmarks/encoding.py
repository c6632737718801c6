"""The time to encode sentences, by the shipped encoders and by others.

*Ours* is `SentenceEncoder(name).encode`, for the shipped encoder. On a CPU, where it is NumPy, it
is compared with the same encoder in torch, as it is trained, and in ONNX Runtime. Everywhere it is
compared with the network of all-MiniLM-L6-v2, in sentence-transformers. Its weights are random,
which does not change its time. Each word is one token, so its input is shorter than with its own
tokenizer.

The sentences are random words, and as long as the captions of Flickr8k. The last row is `groundvec
similarity` of two sentences; its floor is a process that imports NumPy.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from measure import Row, program, row, threads, work
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from groundvec import SentenceEncoder
from groundvec.export.onnx import export
from groundvec.model.network import Model, load_ensemble
from groundvec.model.shipped import find

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
BATCH = 128  # sentences
Encode = Callable[[list[str]], object]
UNIT = "s for 1,000 sentences"


def rows(small: bool) -> list[Row]:
    devices = ["cpu", "cuda"] if torch.cuda.is_available() and not small else ["cpu"]
    # Of 11 words on average.
    rng = np.random.default_rng(1)
    known = words()
    rounds = 1 if small else 3
    lengths = np.clip(rng.normal(11, 4, 20 if small else 400).astype(int), 3, 30)
    sentences = [" ".join(rng.choice(known, length)) + " ." for length in lengths]
    measured = [each for device in devices for each in beside(device, sentences, rounds)]
    return [*measured, starting(rounds)]


def words() -> list[str]:
    """Make 8,000 words of random letters, the vocabulary size of Flickr8k's captions."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    return ["".join(rng.choice(letters, rng.integers(1, 8))) for _ in range(8000)]


def beside(device: str, sentences: list[str], rounds: int) -> list[Row]:
    """Measure a row for each that ours is compared with."""
    name = "flickr8k-v4"
    encoder = SentenceEncoder(name, device=device)
    cases = [("MiniLM-L6's network", minilm(device))]
    where = f", on {torch.cuda.get_device_name()}" if device == "cuda" else ""
    if device == "cpu":  # on a GPU ours is torch too
        models = load_ensemble(find(name))
        cases.append(("torch", SentenceEncoder(models).encode))
        cases.append(("ONNX Runtime", by_onnx(models)))
    found = []
    thousands = len(sentences) / 1000
    for beside_what, other in cases:
        other(sentences[:BATCH]), encoder.encode(sentences[:BATCH])  # what is set up once
        contestants = (work(thousands, way, sentences) for way in (encoder.encode, other))
        what = f"{name} beside {beside_what}{where}"
        found.append(row(what, UNIT, *contestants, None, rounds))
    return found


def starting(rounds: int) -> Row:
    """Two sentences by the command, beside a process that imports NumPy and does nothing else."""
    run = partial(subprocess.run, stdout=subprocess.DEVNULL, check=True)
    compare = ("-m", "groundvec", "similarity", "--device", "cpu", "A dog runs.", "A cat sleeps.")
    ours, floor = (
        work(1, run, [sys.executable, *command]) for command in (compare, ("-c", "import numpy"))
    )
    what = "two sentences by `groundvec similarity`"
    return row(what, "s a process", ours, floor=floor, rounds=rounds)


def by_onnx(models: list[Model]) -> Encode:
    """Return the `encode` of the exported ONNX graph, longest sentences first."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        export(models, path)
        graph = onnxruntime.InferenceSession(path, options)
    text = models[0].texts["en"]

    def encode(sentences: list[str]) -> None:
        encoded = text.encode(sentences)
        order = np.argsort(-encoded.lengths)
        for start in range(0, len(order), BATCH):
            flat, lengths, *of_words = encoded.batch(order[start : start + BATCH])
            if of_words:  # the n-grams of distinct words, and where these stand
                sizes, flat_words = of_words
                flat = padded(flat, sizes)[flat_words]
            graph.run(None, {"indices": padded(flat, lengths), "lengths": lengths})

    return encode


def padded(flat: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Rows of these lengths, which stand one after another, with zeros behind shorter ones."""
    rows = np.zeros((len(lengths), lengths.max(), *flat.shape[1:]), np.int64)
    rows[np.arange(lengths.max()) < lengths[:, None]] = flat
    return rows


def minilm(device: str) -> Encode:
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
        model = SentenceTransformer(modules=modules, device=device)
    return lambda sentences: model.encode(sentences, batch_size=BATCH, show_progress_bar=False)


if __name__ == "__main__":
    program(__doc__, rows)
