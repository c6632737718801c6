"""InferSent (Conneau et al. 2017), with the published weights."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

from groundvec.device import choose
from groundvec.runtime.errors import InputError
from groundvec.runtime.progress import Progress
from reproduction.text.vector_files import look_up

TOKENS_PER_BATCH = 4096  # which bounds the memory for the states
MARKS = {1: ("<s>", "</s>"), 2: ("<p>", "</p>")}  # before and after a sentence, by version


class Baseline(nn.Module):
    """Word vectors -> bidirectional LSTM -> maximum over time.

    Version 1 reads GloVe 840B vectors, version 2 fastText's crawl-300d-2M. Words and marks without
    a vector are left out and counted in the log.

    In the published code of version 1, the zeros that pad a batch take part in the maximum. So an
    embedding depends on its batch: the longest sentence of a batch has the maximum over time, and a
    shorter one max(0, maximum over time). Here every sentence has the latter, as if it were always
    padded. Version 2 leaves padding out.
    """

    def __init__(self, state: str | Path, vectors: str | Path, version: int) -> None:
        """Load published weights (infersent1.pkl or infersent2.pkl) without executing their code.

        Args:
            state: a file written by `torch.save`, with the weights and biases of a bidirectional
                LSTM named `enc_lstm`, whose shapes give the sizes.
            vectors: a file of word vectors for `reproduction.text.vector_files.read_vectors`.
            version: 1 or 2, of both files.

        Raises:
            InputError: the state file is of another form.
        """
        super().__init__()
        self.version = version
        self.path = vectors
        try:
            weights = torch.load(state, map_location="cpu", weights_only=True)
            words = weights["enc_lstm.weight_ih_l0"].shape[1]
            units = weights["enc_lstm.weight_hh_l0"].shape[1]
            self.enc_lstm = nn.LSTM(words, units, bidirectional=True)
            self.load_state_dict(weights)
        except OSError:
            raise
        except Exception:
            raise InputError(
                f"{state} is no state file of InferSent's LSTM, as torch.save writes it: download "
                "it again"
            ) from None
        self.device = choose()
        self.to(self.device)

    @torch.inference_mode()
    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """Embed tokenized sentences (tokens separated by spaces): (N, 2 x units) float32.

        Each call reads the file of vectors, so pass all sentences at once.

        Raises:
            InputError: vectors of another size, or a sentence without any word vector.
        """
        first, last = MARKS[self.version]
        marked = [[first, *sentence.split(), last] for sentence in sentences]
        rows, vectors = look_up(marked, self.path)
        lengths = np.array([len(words) for words in rows], int)
        if vectors.shape[1] != self.enc_lstm.input_size:
            raise InputError(
                f"{self.path} has vectors of {vectors.shape[1]} dimensions, "
                f"but this InferSent reads {self.enc_lstm.input_size}"
            )
        if not lengths.all():
            raise InputError(
                f"{self.path} has vectors neither for {last} nor for any word of the sentence "
                f"{sentences[int(lengths.argmin())]!r}"
            )
        word_vectors = torch.from_numpy(vectors).to(self.device)
        result = np.empty((len(rows), 2 * self.enc_lstm.hidden_size), np.float32)
        order = np.argsort(-lengths, kind="stable")  # `pack_sequence` needs the longest first
        start = 0
        with Progress(total=len(order), desc="encoding", unit="sentences") as bar:
            while start < len(order):
                count = max(1, TOKENS_PER_BATCH // lengths[order[start]])
                batch = order[start : start + count]
                words = pack_sequence([word_vectors[rows[i]] for i in batch])
                states, _ = pad_packed_sequence(self.enc_lstm(words)[0], padding_value=-torch.inf)
                pooled = states.amax(dim=0)
                if self.version == 1:
                    pooled = pooled.clamp(min=0)
                result[batch] = pooled.cpu().numpy()
                start += len(batch)
                bar.update(len(batch))
        return result
