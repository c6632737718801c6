"""The best translations that a translator has for sentences, by beam search."""

import numpy as np
import torch
from torch import Tensor

from groundvec.runtime.progress import Progress
from groundvec.text.encoded import PADDING, UNKNOWN, Encoded
from reproduction.translation.nbest import Lists
from reproduction.translation.network import Translator
from reproduction.translation.vocabulary import END, Vocabulary, padded

HYPOTHESES = 800  # of all sentences of a batch; more do not make a CPU faster


@torch.inference_mode()
def search(
    translator: Translator, source: Tensor, n: int, longest: Tensor
) -> tuple[Tensor, Tensor]:
    """Find the `n` best translations of each of a batch of sentences.

    A translation has at least one word before its end, and none that is unknown. Complete ones stay
    in the beam while they are among the `n` best.

    Args:
        source: (B, S), filled up with padding.
        longest: (B,) after how many words, the end included, a translation ends.

    Returns:
        Words (B, n, longest), each up to its end, then padding; and their log-probabilities (B, n),
        from high to low; -inf where there are fewer than `n` hypotheses.
    """
    memory, state = translator.encode(source)
    size = len(source)
    words = translator.words.out_features
    states = state[:, None].expand(-1, n, -1)
    length = int(longest.max())
    found = torch.full((size, n, length), PADDING, device=source.device)
    scores = torch.full((size, n), -torch.inf, device=source.device)
    scores[:, 0] = 0  # at first there is one hypothesis, which is empty
    ended = torch.zeros((size, n), dtype=torch.bool, device=source.device)
    others = torch.arange(words, device=source.device) != END
    for place in range(length):
        before = found[:, :, max(place - 1, 0)]
        states, read = translator.step(memory, states, translator.target(before))
        log_p = translator.choose(read).log_softmax(dim=2)
        log_p[:, :, UNKNOWN] = -torch.inf
        if place == 0:
            log_p[:, :, END] = -torch.inf
        last = longest == place + 1
        if last.any():
            log_p.masked_fill_(last[:, None, None] & others, -torch.inf)
        # What is complete goes on by padding, at no cost.
        log_p[ended] = -torch.inf
        log_p[:, :, PADDING] = torch.where(ended, 0.0, -torch.inf)
        scores, best = log_p.add_(scores[:, :, None]).flatten(1).topk(n, dim=1)
        parent = best // words
        word = best % words
        found = found.gather(1, parent[:, :, None].expand_as(found))
        found[:, :, place] = word
        states = states.gather(1, parent[:, :, None].expand_as(states))
        ended = ended.gather(1, parent) | (word == END)
        if (ended | scores.isneginf()).all():
            break
    return found, scores


def translate(
    translator: Translator, encoded: Encoded, vocabulary: Vocabulary, n: int, progress: bool = False
) -> Lists:
    """List the `n` best translations of sentences by log-probability, each apart from the others.

    Args:
        encoded: by the source's vocabulary.
        vocabulary: the target's.
    """
    device = next(translator.parameters()).device
    order = np.argsort(-encoded.lengths, kind="stable")
    batch = max(1, HYPOTHESES // n)
    texts: list[list[str]] = [[]] * len(order)
    scores: list[np.ndarray] = [np.empty(0)] * len(order)
    hidden = not progress
    with Progress(total=len(order), desc="translating", unit="sentences", disable=hidden) as bar:
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            source = torch.from_numpy(padded(encoded, rows)).to(device)
            longest = 2 * torch.from_numpy(encoded.lengths[rows]).to(device) + 10
            found, values = (part.cpu().numpy() for part in search(translator, source, n, longest))
            real = np.isfinite(values)
            flat = vocabulary.decode(found[real])
            ends = real.sum(axis=1).cumsum()
            for row, end, own, kept in zip(rows.tolist(), ends, values, real, strict=True):
                texts[row] = flat[end - kept.sum() : end]
                scores[row] = own[kept]
            bar.update(len(rows))
    starts = np.cumsum([0, *map(len, texts)])
    values = np.concatenate(scores).astype(np.float64)[:, None]
    return Lists([text for own in texts for text in own], starts, ["score"], values)
