"""A translator: a recurrent encoder, and a decoder with attention (Bahdanau et al. 2015)."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from groundvec.text.encoded import PADDING

# Standard deviation of the Gaussian initialization of non-recurrent matrices, in a network of size
# 1,024 (Calixto & Liu, section 8). Smaller networks need a larger one, because otherwise their
# output hardly depends on their input: with 0.01, a network of size 64 learned less in 30 epochs
# than in 11 epochs with 0.1.
DEVIATION = 0.01
LARGEST_DEVIATION = 0.1


@dataclass
class Memory:
    """The encoder's output for the decoder, for B source sentences of up to S words."""

    annotations: Tensor  # (B, S, 2 size)
    keys: Tensor  # (B, S, size): the annotations, projected for the attention
    inside: Tensor  # (B, S) bool: whether a word is no padding


class Translator(nn.Module):
    """A bidirectional GRU reads source words; attention and a GRU write target words."""

    def __init__(self, source: int, target: int, size: int, embedding: int, dropout: float) -> None:
        """Build an untrained translator, by torch's random numbers.

        Args:
            source, target: numbers of indices of both vocabularies.
            size: size of the decoder, of the attention, and of each direction of the encoder.
            embedding: size of a word's embedding, in both languages.
            dropout: dropout probability of the embeddings, of the encoder's output, and of the
                input of the last layer.
        """
        super().__init__()
        self.source = nn.Embedding(source, embedding, padding_idx=PADDING)
        self.target = nn.Embedding(target, embedding, padding_idx=PADDING)
        self.encoder = nn.GRU(embedding, size, batch_first=True, bidirectional=True)
        self.first = nn.Linear(2 * size, size)
        self.key = nn.Linear(2 * size, size)
        self.query = nn.Linear(size, size, bias=False)
        self.energy = nn.Linear(size, 1, bias=False)
        self.decoder = nn.GRUCell(embedding + 2 * size, size)
        self.readout = nn.Linear(embedding + 3 * size, embedding)
        self.words = nn.Linear(embedding, target)
        self.dropout = nn.Dropout(dropout)
        deviation = min(DEVIATION * 1024 / size, LARGEST_DEVIATION)
        for name, weights in self.named_parameters():
            if "bias" in name:
                nn.init.zeros_(weights)
            elif "weight_hh" in name:
                for gate in weights.data.chunk(3):
                    nn.init.orthogonal_(gate)
            else:
                nn.init.normal_(weights, std=deviation)
        for words in (self.source, self.target):
            nn.init.zeros_(words.weight.data[PADDING])

    def encode(self, source: Tensor) -> tuple[Memory, Tensor]:
        """Encode padded sentences (B, S); return the memory and the decoder's first state."""
        inside = source != PADDING
        embedded = self.dropout(self.source(source))
        lengths = inside.sum(dim=1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = self.encoder(packed)
        annotations, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        mean = annotations.sum(dim=1) / inside.sum(dim=1, keepdim=True)
        annotations = self.dropout(annotations)
        return Memory(annotations, self.key(annotations), inside), torch.tanh(self.first(mean))

    def step(self, memory: Memory, state: Tensor, previous: Tensor) -> tuple[Tensor, Tensor]:
        """Advance the decoder by one word.

        Args:
            memory: the encoded sentences.
            state: (B, K, size) the states of K hypotheses of each sentence.
            previous: (B, K, embedding) the embedding of the previous word.

        Returns:
            The next states, and the input (B, K, embedding + 3 size) of `choose`.
        """
        query = self.query(state)[:, :, None]
        energy = self.energy(torch.tanh(memory.keys[:, None] + query))[..., 0]
        weights = energy.masked_fill(~memory.inside[:, None], -torch.inf).softmax(dim=2)
        context = weights @ memory.annotations
        inputs = torch.cat([previous, context], dim=2)
        state = self.decoder(inputs.flatten(0, 1), state.flatten(0, 1)).view_as(state)
        return state, torch.cat([state, inputs], dim=2)

    def choose(self, read: Tensor) -> Tensor:
        """Compute the logits (..., target) of the next word."""
        return self.words(self.dropout(torch.tanh(self.readout(read))))

    def loss(self, source: Tensor, target: Tensor) -> Tensor:
        """Compute the negative log-probability of translations, as a mean over the sentences.

        Args:
            source, target: (B, S) and (B, T) the sentences and translations, with ends, padded.
        """
        memory, state = self.encode(source)
        # The word before the first one is padding, whose embedding is zero.
        before = self.dropout(self.target(target.roll(1, dims=1)))
        before = torch.cat([torch.zeros_like(before[:, :1]), before[:, 1:]], dim=1)
        states = state[:, None]
        read = []
        for word in range(target.shape[1]):
            states, inputs = self.step(memory, states, before[:, word : word + 1])
            read.append(inputs)
        inside = target != PADDING
        logits = self.choose(torch.cat(read, dim=1)[inside])
        return cross_entropy(logits, target[inside], reduction="sum") / len(target)
