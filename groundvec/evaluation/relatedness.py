"""SentEval's supervised relatedness classifier, number for number (Conneau & Kiela 2018).

A softmax layer on ``[|u - v|, u * v]`` predicts the distribution of each pair's score over the
grades 1 to 5 (Tai, Socher & Manning 2015, section 4.2); the prediction is the expected grade. Seed,
batches, optimizer and stopping rule are SentEval's. The gradient and Adam's step are written out:
for a layer as small as this, torch's autograd and optimizer take longer than the arithmetic.
"""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from groundvec.evaluation.correlation import pearson

SEED = 1111  # SentEval's default
GRADES = np.arange(1, 6)
BATCH_SIZE = 64
# Adam's defaults in torch.
LEARNING_RATE = 1e-3
BETAS = (0.9, 0.999)
EPSILON = 1e-8
EPOCHS_PER_CHECK = 50
MAX_EPOCHS = 1050  # SentEval's limit is 1000, which it checks before the next 50 epochs
FAILURES = 4  # checks without an improvement, in total and not in a row


def features(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Compute ``[|u - v|, u * v]`` of vectors (N, size): (N, 2 size) float32."""
    size = u.shape[1]
    result = np.empty((len(u), 2 * size), np.float32)
    np.subtract(u, v, out=result[:, :size])
    np.abs(result[:, :size], out=result[:, :size])
    np.multiply(u, v, out=result[:, size:])
    return result


def targets(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """Distribute scores (N,) over the two nearest grades: (N, 5) float32.

    3.4 becomes 0.6 of grade 3 and 0.4 of grade 4, so that the expected grade is the score. There is
    no grade 0: as in SentEval, a score of 0.4, which STS-B has, becomes 0.4 of grade 1.
    """
    # A hat function around each grade: 1 at the grade itself, 0 at the next ones.
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

    The order of the training pairs decides the batches, and so the last digits.

    Args:
        train, dev: features (N, 2 size) and scores (N,).
        test: features (M, 2 size).

    Returns:
        Expected grades (M,), from 1 to 5, and the best development Pearson.
    """
    x = torch.from_numpy(train[0]).to(device)
    y = torch.from_numpy(targets(train[1])).to(device)
    dev_x = torch.from_numpy(dev[0]).to(device)
    test_x = torch.from_numpy(test).to(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        linear = nn.Linear(x.shape[1], len(GRADES))
    # Weight and bias are views of one vector, and so are their gradients: a step of Adam updates
    # both at once.
    parameters = torch.cat([linear.weight.flatten(), linear.bias]).to(device)
    gradient, mean, variance = torch.zeros(3, len(parameters), device=device)
    weight, bias = _weight_and_bias(parameters)
    weight_gradient, bias_gradient = _weight_and_bias(gradient)
    permute = np.random.RandomState(SEED).permutation

    best = -np.inf
    failures = 0
    step = 0
    for epoch in range(1, MAX_EPOCHS + 1):
        order = torch.from_numpy(permute(len(x))).to(device)
        for rows, target in zip(order.split(BATCH_SIZE), y[order].split(BATCH_SIZE), strict=True):
            batch = x.index_select(0, rows)
            p = torch.addmm(bias, batch, weight.t()).softmax(dim=1)
            # The loss is the mean squared error, L = mean((p - y)^2), so dL/dp = 2 (p - y) / size.
            # Through the softmax, with g = p * dL/dp: dL/dlogits = g - p * sum(g).
            error = p.sub(target).mul_(p).mul_(2 / p.numel())
            error.addcmul_(p, error.sum(dim=1, keepdim=True), value=-1)
            torch.mm(error.t(), batch, out=weight_gradient)
            torch.sum(error, 0, out=bias_gradient)
            # Adam (Kingma & Ba 2015, algorithm 1), in the order of torch's operations.
            step += 1
            mean.lerp_(gradient, 1 - BETAS[0])
            variance.lerp_(gradient.square_(), 1 - BETAS[1])
            scale = variance.sqrt().div_(math.sqrt(1 - BETAS[1] ** step)).add_(EPSILON)
            parameters.addcdiv_(mean, scale, value=-LEARNING_RATE / (1 - BETAS[0] ** step))
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


def _weight_and_bias(parameters: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return views of the weight (5, 2 size) and of the bias (5,) in one vector."""
    grades = len(GRADES)
    return parameters[:-grades].view(grades, -1), parameters[-grades:]
