"""A bag of character n-grams, plus a GRU over the words that the n-grams make.

A word is the sum of its n-grams' embeddings (Bojanowski et al. 2017), each weighted by inverse
document frequency. The bag is the sum of the words; the GRU reads them in order.
"""

from collections.abc import Sequence, Sized

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, embedding_bag, normalize

from groundvec.encoders.embeddings import initial, scaled
from groundvec.encoders.pooling import Attention
from groundvec.encoders.recurrence import hidden_states
from groundvec.text.encoded import idf
from groundvec.text.word_ngrams import Words


class Encoder(nn.Module):
    """N-grams -> words -> (their sum -> linear layer) + (GRU -> attention -> linear layer)."""

    idf: Tensor

    def __init__(
        self,
        text: Sized,
        size: int,
        embedding: int,
        units: int,
        deviation: float = 1.0,
        dropout: float = 0.0,
        word_dropout: float = 0.0,
        state: bool = False,
    ) -> None:
        """Build an untrained network; `ngram-rnn.yaml` describes the options."""
        super().__init__()
        vectors = initial(len(text), embedding, deviation)
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=False)
        self.rnn = nn.GRU(embedding, units // 2, batch_first=True, bidirectional=True)
        self.pooling = Attention(units)
        self.of_state = nn.Linear(embedding, size)  # reads the bag
        self.of_order = nn.Linear(units, size)  # reads the GRU
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.append_state = state
        self.register_buffer("idf", torch.ones(len(text)))

    def forward(self, ngrams: Tensor, lengths: Tensor, sizes: Tensor, places: Tensor) -> Tensor:
        """Embed a batch of `groundvec.text.word_ngrams.Words`: (B, size).

        Outside training, with `state`, (B, size + embedding): both parts have unit norm.
        """
        device = ngrams.device
        sentence_starts = (lengths.cumsum(0) - lengths).to(device)
        word_starts = (sizes.cumsum(0) - sizes).to(device)
        places = places.to(device)
        table = self.embedding.weight
        weights = self.idf[ngrams]
        # Each distinct word of the batch is summed once, however many sentences have it.
        words = embedding_bag(ngrams, table, word_starts, mode="sum", per_sample_weights=weights)
        state = scaled(embedding_bag(places, words, sentence_starts, mode="sum"))
        # The GRU alone reads words without some of their numbers; the bag has its own dropout.
        word_vectors = dropout(scaled(words), self.word_dropout, self.training)
        states = hidden_states(self.rnn, word_vectors, places, lengths)
        pooled = self.pooling(states, lengths.to(device))
        vectors: Tensor = self.of_state(dropout(state, self.dropout, self.training))
        vectors = vectors + self.of_order(dropout(pooled, self.dropout, self.training))
        if self.training or not self.append_state:
            return vectors
        return torch.cat([normalize(vectors, dim=1), normalize(state, dim=1)], dim=1)

    @torch.no_grad()
    def fit_idf(self, captions: Sequence[Words]) -> None:
        """Set the weights of the n-grams to their inverse document frequencies."""
        self.idf.copy_(torch.from_numpy(idf(captions, len(self.idf))))
