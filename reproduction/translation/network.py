"""A translator: a recurrent encoder, and a decoder that attends (Bahdanau et al. 2015)."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from groundvec.text.encoded import PADDING

# Of the matrices that are not recurrent, in a network of size 1,024 (Calixto & Liu, section 8).
# Smaller networks begin with larger ones, as what they say would else hardly depend on what they
# read: of size 64, with 0.01, one hardly learned in 30 epochs what it learns in 11 with 0.1.
DEVIATION = 0.01
LARGEST_DEVIATION = 0.1


@dataclass
class Memory:
    """The encoder's output for the decoder: B source sentences of up to S words."""

    annotations: Tensor  # (B, S, 2 size)
    keys: Tensor  # (B, S, size): the same, projected for the attention
    inside: Tensor  # (B, S) bool: what is no padding


class Translator(nn.Module):
    """Source words -> bidirectional GRU; attention and a GRU -> target words."""

    def __init__(self, source: int, target: int, size: int, embedding: int, dropout: float) -> None:
        """Build an untrained translator; the seed is torch's own.

        Args:
            source, target: numbers of indices of the two vocabularies.
            size: of each direction of the encoder, of the decoder, and of the attention.
            embedding: of a word, in both languages.
            dropout: of the embeddings, of what the encoder gives, and before the words are chosen.
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
        """Read padded sentences (B, S): the encoder's states, and the decoder's first (B, size)."""
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
        """Go on by one word.

        Args:
            state: of K hypotheses of each of the memory's sentences (B, K, size).
            previous: the embedded word before (B, K, embedding).

        Returns:
            The next states, and what `choose` reads (B, K, embedding + 3 size).
        """
        query = self.query(state)[:, :, None]
        energy = self.energy(torch.tanh(memory.keys[:, None] + query))[..., 0]
        weights = energy.masked_fill(~memory.inside[:, None], -torch.inf).softmax(dim=2)
        context = weights @ memory.annotations
        given = torch.cat([previous, context], dim=2)
        state = self.decoder(given.flatten(0, 1), state.flatten(0, 1)).view_as(state)
        return state, torch.cat([state, given], dim=2)

    def choose(self, read: Tensor) -> Tensor:
        """Compute how likely each word is next, as logits (..., target)."""
        return self.words(self.dropout(torch.tanh(self.readout(read))))

    def loss(self, source: Tensor, target: Tensor) -> Tensor:
        """Compute minus the log-probability of translations, the mean of the sentences' sums.

        Args:
            source, target: (B, S) and (B, T), both with their ends, and filled up with padding.
        """
        memory, state = self.encode(source)
        # Before the first word stands padding, whose embedding is zero.
        before = self.dropout(self.target(target.roll(1, dims=1)))
        before = torch.cat([torch.zeros_like(before[:, :1]), before[:, 1:]], dim=1)
        states = state[:, None]
        read = []
        for word in range(target.shape[1]):
            states, given = self.step(memory, states, before[:, word : word + 1])
            read.append(given)
        inside = target != PADDING
        logits = self.choose(torch.cat(read, dim=1)[inside])
        return cross_entropy(logits, target[inside], reduction="sum") / len(target)
