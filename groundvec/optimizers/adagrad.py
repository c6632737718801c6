"""AdaGrad (Duchi et al. 2011) that forgets its past (Socher et al. 2014, section 5)."""

from collections.abc import Iterable

import torch


class Optimizer(torch.optim.Adagrad):
    """AdaGrad whose sums of squared gradients are set to 1 at the start of every cycle.

    The paper resets them every five epochs. It reports a learning rate of 1e-4 and an L2 penalty of
    0.08 times the squared norm of the weights, whose gradient would be 0.16 times the weights. Here
    the gradient of every batch has 0.08 times the weights added, which is half of that penalty.
    """

    def __init__(
        self, parameters: Iterable[torch.nn.Parameter], cycle: int, learning_rate: float, l2: float
    ) -> None:
        super().__init__(parameters, lr=learning_rate, weight_decay=l2, initial_accumulator_value=1)
        self.cycle = cycle

    def prepare(self, step: int) -> None:
        """Reset the sums if a cycle begins with this step."""
        if step % self.cycle == 0:
            for state in self.state.values():
                state["sum"].fill_(1)
