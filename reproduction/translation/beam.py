"""Find a translator's best translations of sentences by beam search."""

from itertools import chain

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from groundvec.runtime.progress import Progress
from groundvec.text.encoded import PADDING, UNKNOWN, Encoded
from reproduction.translation.nbest import Lists
from reproduction.translation.network import Translator
from reproduction.translation.vocabulary import END, Vocabulary, padded

HYPOTHESES = 800  # in a batch, over all its sentences; more do not make a CPU faster


@torch.inference_mode()
def search(
    translator: Translator, source: Tensor, n: int, longest: Tensor
) -> tuple[Tensor, Tensor]:
    """Find the `n` best translations of each of a batch of sentences.

    A translation has at least one word before its end, and no unknown word. A complete translation
    stays in the beam while it is among the `n` best.

    Args:
        translator: the translator.
        source: (B, S) the sentences, padded.
        n: number of translations per sentence.
        longest: (B,) the maximum number of words of a translation, including its end.

    Returns:
        The words (B, n, longest) of each translation up to its end, then padding, and the
        log-probabilities (B, n) from high to low, -inf if a sentence has fewer hypotheses.
    """
    memory, state = translator.encode(source)
    batch = len(source)
    vocabulary = translator.words.out_features
    states = state[:, None].expand(-1, n, -1)
    length = int(longest.max())
    words = torch.full((batch, n, length), PADDING, device=source.device)
    scores = torch.full((batch, n), -torch.inf, device=source.device)
    scores[:, 0] = 0  # the beam starts with one hypothesis, which is empty
    ended = torch.zeros((batch, n), dtype=torch.bool, device=source.device)
    not_end = torch.arange(vocabulary, device=source.device) != END
    for place in range(length):
        before = words[:, :, max(place - 1, 0)]
        states, read = translator.step(memory, states, translator.target(before))
        log_p = translator.choose(read).log_softmax(dim=2)
        log_p[:, :, UNKNOWN] = -torch.inf
        if place == 0:
            log_p[:, :, END] = -torch.inf
        last = longest == place + 1  # here a translation has to end
        if last.any():
            log_p.masked_fill_(last[:, None, None] & not_end, -torch.inf)
        # A complete hypothesis is continued by padding, with probability 1.
        log_p[ended] = -torch.inf
        log_p[:, :, PADDING] = torch.where(ended, 0.0, -torch.inf)
        scores, best = log_p.add_(scores[:, :, None]).flatten(1).topk(n, dim=1)
        parent = best // vocabulary
        word = best % vocabulary
        words = words.gather(1, parent[:, :, None].expand_as(words))
        words[:, :, place] = word
        states = states.gather(1, parent[:, :, None].expand_as(states))
        ended = ended.gather(1, parent) | (word == END)
        if (ended | scores.isneginf()).all():
            break
    return words, scores


def translate(translator: Translator, encoded: Encoded, vocabulary: Vocabulary, n: int) -> Lists:
    """List the `n` best translations of each sentence, with their log-probabilities.

    Args:
        translator: the translator.
        encoded: the sentences, encoded by the source vocabulary.
        vocabulary: the target vocabulary.
        n: number of translations per sentence.
    """
    device = next(translator.parameters()).device
    # Sentences of similar length share a batch, which saves padding.
    order = np.argsort(-encoded.lengths, kind="stable")
    batch = max(1, HYPOTHESES // n)
    texts: list[list[str]] = [[]] * len(order)
    scores: list[np.ndarray] = [np.empty(0)] * len(order)
    with Progress(total=len(order), desc="translating", unit="sentences", delay=1) as bar:
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            source = torch.from_numpy(padded(encoded, rows)).to(device)
            longest = 2 * torch.from_numpy(encoded.lengths[rows]).to(device) + 10
            words, log_p = search(translator, source, n, longest)
            hypotheses = zip(rows.tolist(), words.cpu().numpy(), log_p.cpu().numpy(), strict=True)
            for row, words_of_row, log_p_of_row in hypotheses:
                exists = np.isfinite(log_p_of_row)
                texts[row] = vocabulary.decode(words_of_row[exists])
                scores[row] = log_p_of_row[exists]
            bar.update(len(rows))
    starts = np.cumsum([0, *map(len, texts)])
    features = pd.DataFrame({"score": np.concatenate(scores).astype(np.float64)})
    return Lists(list(chain.from_iterable(texts)), starts, features)
