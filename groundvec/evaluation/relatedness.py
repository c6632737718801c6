"""SentEval's supervised relatedness classifier, number for number (Conneau & Kiela 2018).

A softmax layer on ``[|u - v|, u * v]`` spreads each pair's score over the grades 1 to 5, after Tai,
Socher & Manning (2015); the prediction is the expected grade. Seed, batches, optimiser and stopping
rule are SentEval's. The gradient and Adam's step are written out, since calling torch takes longer
than computing a layer this small.
"""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from groundvec.evaluation.correlation import pearson

SEED = 1111
GRADES = np.arange(1, 6)
BATCH_SIZE = 64
LEARNING_RATE = 1e-3
BETAS = (0.9, 0.999)
EPOCHS_PER_CHECK = 50
MAX_EPOCHS = 1050  # SentEval says 1000 and checks the limit before, not after, 50 more
FAILURES = 4  # checks without an improvement, in all and not in a row


def features(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Compute ``[|u - v|, u * v]`` of vectors (N, size): (N, 2 size) float32."""
    size = u.shape[1]
    result = np.empty((len(u), 2 * size), np.float32)
    np.subtract(u, v, out=result[:, :size])
    np.abs(result[:, :size], out=result[:, :size])
    np.multiply(u, v, out=result[:, size:])
    return result


def targets(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """Spread scores (N,) over the two nearest grades: (N, 5) float32.

    3.4 becomes 0.6 of grade 3 and 0.4 of grade 4. There is no grade 0: as in SentEval, 0.4, which
    STS-B has, becomes 0.4 of grade 1.
    """
    return np.maximum(0, 1 - np.abs(scores[:, None] - GRADES)).astype(np.float32)


def expected_grade(weight: torch.Tensor, bias: torch.Tensor, x: torch.Tensor) -> np.ndarray:
    """Compute the mean grade (N,) by the probabilities of the softmax layer."""
    return nn.functional.linear(x, weight, bias).softmax(dim=1).cpu().numpy() @ GRADES


@torch.inference_mode()
def train_and_predict(
    train: tuple[np.ndarray, np.ndarray],
    dev: tuple[np.ndarray, np.ndarray],
    test: np.ndarray,
    device: str = "cpu",
) -> tuple[np.ndarray, float]:
    """Train the classifier, keep its best weights on the development set, grade the test pairs.

    The order of the training pairs affects the last digits.

    Args:
        train, dev: features (N, 2 size) and scores (N,).
        test: features (M, 2 size).

    Returns:
        Expected grades (M,), from 1 to 5, and the best development Pearson.
    """
    x, dev_x, test_x = (torch.from_numpy(f).to(device) for f in (train[0], dev[0], test))
    y = torch.from_numpy(targets(train[1])).to(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        linear = nn.Linear(x.shape[1], len(GRADES))
    # Weight and bias in one vector, and their gradients, so that one step of Adam is for both.
    both = torch.cat([linear.weight.flatten(), linear.bias]).to(device)
    gradient, mean, variance = torch.zeros(3, len(both), device=device)
    (weight, bias), (of_weight, of_bias) = (
        (v[: -len(GRADES)].view(len(GRADES), -1), v[-len(GRADES) :]) for v in (both, gradient)
    )
    permute = np.random.RandomState(SEED).permutation

    best = -np.inf
    failures = 0
    step = 0
    for epoch in range(1, MAX_EPOCHS + 1):
        order = torch.from_numpy(permute(len(x))).to(device)
        for rows, wanted in zip(order.split(BATCH_SIZE), y[order].split(BATCH_SIZE), strict=True):
            batch = x.index_select(0, rows)
            p = torch.addmm(bias, batch, weight.t()).softmax(dim=1)
            error = p.sub(wanted).mul_(p).mul_(2 / p.numel())  # of the mean squared error
            error.addcmul_(p, error.sum(dim=1, keepdim=True), value=-1)
            torch.mm(error.t(), batch, out=of_weight)
            torch.sum(error, 0, out=of_bias)
            step += 1
            mean.lerp_(gradient, 1 - BETAS[0])
            variance.lerp_(gradient.square_(), 1 - BETAS[1])
            scale = variance.sqrt().div_(math.sqrt(1 - BETAS[1] ** step)).add_(1e-8)
            both.addcdiv_(mean, scale, value=-LEARNING_RATE / (1 - BETAS[0] ** step))
        if epoch % EPOCHS_PER_CHECK == 0:
            r = pearson(expected_grade(weight, bias, dev_x), dev[1])
            if r > best:
                best = r
                prediction = expected_grade(weight, bias, test_x)
            else:
                failures += 1
                if failures == FAILURES:
                    break
    return prediction, best
