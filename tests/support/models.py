"""Small untrained models of every encoder."""

import torch

from groundvec.model.network import Model
from groundvec.text import characters, ngrams, word_ngrams, words
from tests.support.examples import description, save_model

BAG = {"name": "bag", "size": 16, "embedding": 7}
CAPTIONS = ["A dog chases 2 cats.", "Zwei Hunde!"]
TEXT = characters.Text.build(CAPTIONS)
TEXTS = {
    "characters": TEXT,
    "words": words.Text.build(2 * CAPTIONS),
    "ngrams": ngrams.Text(2, 4, buckets=50),
    "word-ngrams": word_ngrams.Text(2, 4, buckets=50),
}


def model(encoder="gru-16-attention", seed=0, text="characters", width=12, **parts):
    torch.manual_seed(seed)
    described = description(encoder, text, parts)
    return Model(described, dict.fromkeys(described["languages"], TEXTS[text]), width).eval()


def embed(model, captions):
    return model.encode_sentences(captions)


def saved_model(folder, seed=0, epoch=4):
    one = model(seed=seed)
    save_model(folder, one, [epoch], seed=seed)
    return one
