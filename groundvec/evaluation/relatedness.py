"""SentEval's supervised relatedness classifier, number for number (Conneau & Kiela 2018).

A softmax layer on [|u - v|, u * v] spreads each pair's score over the grades 1 to 5, after Tai,
Socher & Manning (2015); the prediction is the expected grade. What SentEval fixes is fixed here:
seed, batches, optimiser and stopping rule.
"""

import numpy as np
import torch
from torch import nn

from groundvec.evaluation.correlation import pearson

SEED = 1111
GRADES = np.arange(1, 6)
BATCH_SIZE = 64
EPOCHS_PER_CHECK = 50
MAX_EPOCHS = 1050  # SentEval says 1000 and checks the limit before, not after, 50 more
FAILURES = 4  # checks without an improvement, in all and not in a row


def features(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """[|u - v|, u * v] of embeddings (N, size) each: (N, 2 size) float32."""
    size = u.shape[1]
    result = np.empty((len(u), 2 * size), np.float32)
    np.subtract(u, v, out=result[:, :size])
    np.abs(result[:, :size], out=result[:, :size])
    np.multiply(u, v, out=result[:, size:])
    return result


def targets(scores: np.ndarray) -> np.ndarray:
    """Scores (N,) spread over the two nearest grades: (N, 5) float32.

    3.4 becomes 0.6 of grade 3 and 0.4 of grade 4. There is no grade 0: as in SentEval, a score of
    0.4, which STS-B has, becomes 0.4 of grade 1 and nothing else.
    """
    return np.maximum(0, 1 - np.abs(scores[:, None] - GRADES)).astype(np.float32)


def expected_grade(model: nn.Module, x: torch.Tensor) -> np.ndarray:
    """The mean grade (N,) under the probabilities that the model gives."""
    with torch.inference_mode():
        return model(x).cpu().numpy() @ GRADES


def train_and_predict(
    train: tuple[np.ndarray, np.ndarray],
    dev: tuple[np.ndarray, np.ndarray],
    test: np.ndarray,
    device: str = "cpu",
) -> tuple[np.ndarray, float]:
    """Train the classifier, keep its best weights on the development set, grade the test pairs.

    The order of the training pairs decides which of them share a batch, so it affects the last
    digits. The caller's random state is left alone.

    Args:
        train: features (N, 2 size) and scores (N,).
        dev: the same of the development pairs.
        test: features (M, 2 size).

    Returns:
        Expected grades (M,), from 1 to 5, and the best development Pearson.
    """
    x, dev_x, test_x = (torch.from_numpy(f).to(device) for f in (train[0], dev[0], test))
    y = torch.from_numpy(targets(train[1])).to(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        linear = nn.Linear(x.shape[1], len(GRADES))
    model = nn.Sequential(linear, nn.Softmax(dim=-1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    permute = np.random.RandomState(SEED).permutation

    best, failures = -np.inf, 0
    for epoch in range(1, MAX_EPOCHS + 1):
        for rows in torch.from_numpy(permute(len(x))).to(device).split(BATCH_SIZE):
            loss = nn.functional.mse_loss(model(x.index_select(0, rows)), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % EPOCHS_PER_CHECK == 0:
            r = pearson(expected_grade(model, dev_x), dev[1])
            if r > best:
                best, prediction = r, expected_grade(model, test_x)
            else:
                failures += 1
                if failures == FAILURES:
                    break
    return prediction, best
