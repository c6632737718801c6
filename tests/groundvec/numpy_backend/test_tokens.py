"""Bags of n-grams as sums of tokens: the vectors of sentences that are read as a whole."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from groundvec import numpy_backend
from groundvec.model.folder import ModelFolder
from groundvec.model.sentences import Snapshot
from groundvec.numpy_backend import tokens
from tests.support.examples import save_model
from tests.support.models import BAG, model

TOKENS = "a Dog 's isn't 3 1,000 10:30 U.S. &amp; - \u2010 \u2013 字 🐶"
MARKS = ". ... … \uff0e 。 , : ; ! ? ( ) \" ' “ \u2019 \u00b4 `"
# Texts that join tokens over a space, hold several words or vanish; and text at both ends.
PIECES = [
    *TOKENS.split(),
    *MARKS.split(),
    *["\u0301", "\u0308", "e\u0301", "¨", "\u00b8", "\u037a", "\u203e", "A\u030a", "\u0345"],
    *["\u200b", "\u200c", "\u200d", "\ufeff", "\u00ad", "👩\u200d🚀", "क\u200d", "\u2060."],
    *["ﬁ", "½", "²", "①", "⑴", "ﷺ", "ΑΣ", "İ", "ß", "\u017f", "K", "\u1100\u1161", "\ufe70"],
    *["\x00", "\x85", "\u2028", "\u00a0", "\u3000", "\n", "\ud800", ".\u200b", ".\x00"],
    *["http://a.b/c?d=e", "w" * 51, "v" * 998, "ab " * 120],
]
SENTENCE = st.lists(st.sampled_from(PIECES) | st.sampled_from("  . "), max_size=12).map("".join)
SENTENCES = st.lists(SENTENCE | st.text(max_size=30), min_size=1, max_size=6)


@pytest.fixture(scope="module", params=[{}, {"idf": True}, {"idf": True, "state": True}], ids=str)
def network(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("bag")
    bag = model(BAG | request.param, text="ngrams")
    with torch.no_grad():
        for weights in bag.captions.parameters():
            weights.normal_()
    save_model(folder, bag)
    return numpy_backend.Network(ModelFolder(folder), 4)


def check(network, sentences, tokenized=False):
    found = network.encode_sentences(sentences, tokenized=tokenized)
    whole = Snapshot.encode_sentences(network, sentences, tokenized=tokenized)
    np.testing.assert_allclose(found, whole, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*are cut")
@given(SENTENCES, st.booleans())
def test_vectors_equal_those_computed_from_whole_sentences(network, sentences, tokenized):
    check(network, sentences, tokenized)
    check(network, ["\u0301a dog. \u0301a", 'It says "stop." )', "a dog ."], tokenized)


def test_a_sentence_that_is_cut_warns_once(network):
    with pytest.warns(UserWarning, match="1 of 1 sentences are cut"):
        check(network, ["a b " * 300])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(network, ["a b " * 249])


def test_a_full_table_is_emptied_also_while_another_thread_reads_it(network, monkeypatch):
    monkeypatch.setattr(tokens, "WHOLE", 2)
    monkeypatch.setattr(tokens, "BYTES", 40 * 4 * network.captions["en"].width)
    of_network = network.tokens["en", False]
    small = tokens.Tokens(of_network.text, of_network.read, of_network.part_sums, 23)
    monkeypatch.setitem(network.tokens, ("en", False), small)
    blocks = [[f"a{i + j} b{i * j}, c{j}!" for j in range(12)] for i in range(200)]
    # More tokens than the table has rows.
    blocks.append([" ".join(map(str, range(i, 100))) for i in range(3)])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda block: check(network, block), blocks))
    assert len(small.rows) < 40
