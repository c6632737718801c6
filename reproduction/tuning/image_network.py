"""An EfficientNet-Lite in two parts: a lower one that stays as it is, and an upper one to train.

Batch normalizations are folded into the convolutions before them, so their statistics are fixed.
Depthwise kernels are fixed too: on a CPU their gradients take longer than all others. There, ONNX
Runtime computes the lower part, in a fraction of torch's time.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from groundvec.features import graphs
from groundvec.features.networks import FromPixels
from groundvec.features.transform import Transform

RELU6 = (0.0, 6.0)  # the activation's least and largest value
CLASSES = 1000  # of ImageNet, which the networks' packages expect of a file of weights


class Block(nn.Module):
    """An inverted bottleneck (Sandler et al. 2018), of activations (n, height, width, channels).

    The channels are last, so that convolutions of one pixel are products of matrices.
    """

    kernel: Tensor

    def __init__(self, block: Any) -> None:
        """Copy a block of `efficientnet_lite_pytorch`, with its normalizations folded."""
        super().__init__()
        self.expand = None
        if hasattr(block, "_expand_conv"):
            self.expand = _linear(block._expand_conv, block._bn0)
        depthwise = fuse_conv_bn_eval(block._depthwise_conv, block._bn1)
        self.register_buffer("kernel", depthwise.weight.detach())  # (channels, 1, k, k)
        self.bias = nn.Parameter(depthwise.bias.detach())
        self.stride = block._depthwise_conv.stride[0]
        self.padding = _padding(block._depthwise_conv)
        self.project = _linear(block._project_conv, block._bn2)
        width_in = block._block_args.input_filters
        self.skip = self.stride == 1 and width_in == self.project.out_features

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute (n, h, w, width) from activations of the block before."""
        hidden = inputs
        if self.expand is not None:
            hidden = functional.relu6(self.expand(hidden), inplace=True)
        hidden = hidden.permute(0, 3, 1, 2)
        left, right, top, bottom = self.padding
        padding = left
        if not left == right == top == bottom:
            hidden = functional.pad(hidden, self.padding)
            padding = 0
        if hidden.is_cuda:
            groups = len(self.kernel)
            hidden = functional.conv2d(
                hidden, self.kernel, self.bias, self.stride, padding, groups=groups
            )
            hidden = functional.relu6(hidden, inplace=True)
        else:
            hidden = Depthwise.apply(hidden, self.kernel, self.bias, self.stride, padding)
        outputs: Tensor = self.project(hidden.permute(0, 2, 3, 1))
        return outputs + inputs if self.skip else outputs


class Depthwise(torch.autograd.Function):
    """A depthwise convolution with a fixed kernel, then ReLU6, for CPUs.

    The gradient of its input is again a depthwise convolution, with the kernel turned by 180
    degrees. Torch takes seven times as long for that gradient as for the convolution.
    """

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, kernel: Tensor, bias: Tensor, stride: int, padding: int
    ) -> Tensor:
        """Convolve (n, channels, h, w) with a kernel (channels, 1, k, k)."""
        outputs = functional.conv2d(inputs, kernel, bias, stride, padding, groups=len(kernel))
        torch.clamp(outputs, *RELU6, out=outputs)
        ctx.save_for_backward(kernel, outputs)
        ctx.stride = stride
        ctx.padding = padding
        ctx.size = inputs.shape[2:]
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of the input and of the bias."""
        kernel, outputs = ctx.saved_tensors
        gradient = torch.ops.aten.hardtanh_backward(gradients[0], outputs, *RELU6)
        of_bias = gradient.sum((0, 2, 3))
        if not ctx.needs_input_grad[0]:
            return None, None, of_bias, None, None
        side = kernel.shape[-1]
        if ctx.stride > 1:
            # A convolution of stride 1 has more outputs: their gradients are 0.
            height, width = (size + 2 * ctx.padding - side + 1 for size in ctx.size)
            spread = gradient.new_zeros(len(gradient), len(kernel), height, width)
            spread = spread.contiguous(memory_format=torch.channels_last)
            spread[:, :, :: ctx.stride, :: ctx.stride] = gradient
            gradient = spread
        of_inputs = functional.conv2d(
            gradient, kernel.flip(2, 3), padding=side - 1 - ctx.padding, groups=len(kernel)
        )
        return of_inputs, None, of_bias, None, None


class Lower(nn.Module):
    """The first stages: pixels -> activations, then the statistics of these stages."""

    def __init__(self, network: Any, count: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(network._conv_stem, network._bn0, nn.ReLU6())
        self.blocks = nn.ModuleList(network._blocks[:count])
        self.last_blocks = _last_blocks(network)
        self.requires_grad_(False)

    def forward(self, pixels: Tensor) -> Tensor:
        """Compute (n, h * w * channels + width) from normalized pixels (n, 3, side, side).

        The activations of a place are next to each other. The statistics come last.
        """
        activations: Tensor = self.stem(pixels)
        stages = []
        for number, block in enumerate(self.blocks):
            activations = block(activations)
            if number in self.last_blocks:
                stages += statistics(activations, (2, 3))
        return torch.cat([activations.permute(0, 2, 3, 1).flatten(1), *stages], 1)


class Upper(nn.Module):
    """The last stages and the head: what `Lower` computes -> features."""

    def __init__(self, network: Any, first: int) -> None:
        super().__init__()
        self.channels = network._blocks[first]._block_args.input_filters
        earlier = [network._blocks[number] for number in _last_blocks(network) if number < first]
        self.statistics = 2 * sum(block._project_conv.out_channels for block in earlier)
        self.blocks = nn.ModuleList(Block(block) for block in network._blocks[first:])
        self.head = _linear(network._conv_head, network._bn1)
        self.last_blocks = {number - first for number in _last_blocks(network)}

    def forward(self, lower: Tensor) -> Tensor:
        """Compute the features (n, width) of `groundvec.features.networks.Stages`."""
        count = lower.shape[1] - self.statistics
        side = math.isqrt(count // self.channels)
        activations = lower[:, :count].unflatten(1, (side, side, self.channels))
        stages = [lower[:, count:]]
        for number, block in enumerate(self.blocks):
            activations = block(activations)
            if number in self.last_blocks:
                stages += statistics(activations, (1, 2))
        last = functional.relu6(self.head(activations), inplace=True)
        return torch.cat([last.float().mean((1, 2)), *stages], 1)


def divide(network: nn.Module, stage: int) -> tuple[Lower, Upper]:
    """Divide an EfficientNet-Lite with features of all stages before a stage, counted from 1."""
    efficientnet: Any = network.network
    firsts = [0, *(number + 1 for number in sorted(_last_blocks(efficientnet)))]
    first = firsts[stage - 1]
    return Lower(efficientnet, first), Upper(efficientnet, first)


def with_upper(network: nn.Module, upper: Upper) -> dict[str, Tensor]:
    """Return the weights of a network, after its upper part was trained.

    They have the names of the network's package. The classifier, which no feature depends on, is
    zero.

    Args:
        network: the one that `divide` divided.
    """
    efficientnet: Any = network.network
    weights = {name: value.cpu() for name, value in efficientnet.state_dict().items()}
    weights["_fc.weight"] = torch.zeros(CLASSES, upper.head.out_features)
    weights["_fc.bias"] = torch.zeros(CLASSES)

    def replace(convolution: str, norm: str, kernel: Tensor, bias: Tensor) -> None:
        """Write a folded convolution, and a normalization that only adds its bias."""
        name = f"{convolution}.weight"
        weights[name] = kernel.detach().view_as(weights[name]).clone()
        weights[f"{norm}.running_mean"] = torch.zeros_like(bias)
        weights[f"{norm}.running_var"] = torch.ones_like(bias)
        weights[f"{norm}.weight"] = torch.full_like(
            bias.detach(), math.sqrt(1 + efficientnet._bn1.eps)
        )
        weights[f"{norm}.bias"] = bias.detach().clone()

    first = len(efficientnet._blocks) - len(upper.blocks)
    block: Any
    for number, block in enumerate(upper.blocks, first):
        name = f"_blocks.{number}."
        if block.expand is not None:
            replace(name + "_expand_conv", name + "_bn0", block.expand.weight, block.expand.bias)
        replace(name + "_depthwise_conv", name + "_bn1", block.kernel, block.bias)
        replace(name + "_project_conv", name + "_bn2", block.project.weight, block.project.bias)
    replace("_conv_head", "_bn1", upper.head.weight, upper.head.bias)
    return weights


def statistics(activations: Tensor, places: tuple[int, int]) -> list[Tensor]:
    """Compute the mean and the standard deviation of each channel: (n, channels) twice.

    Args:
        places: the dimensions of height and width.
    """
    deviation, mean = torch.std_mean(activations.float(), dim=places, correction=0)
    return [mean, deviation]


def without_gradients(
    lower: Lower, transform: Transform, device: str
) -> Callable[[Tensor], Tensor]:
    """Return a function that computes `lower` from views (n, 3, crop, crop) uint8."""
    if device.startswith("cuda"):
        network = FromPixels(lower, transform).to(device).eval()

        def on_gpu(views: Tensor) -> Tensor:
            with torch.no_grad():
                return network(views)

        return on_gpu

    graph = graphs.Graph(graphs.export(lower, transform))
    pool = ThreadPoolExecutor(torch.get_num_threads())

    def on_cpu(views: Tensor) -> Tensor:
        rows = list(pool.map(graph, views[:, None].numpy()))
        return torch.from_numpy(np.stack(rows))

    return on_cpu


def _last_blocks(network: Any) -> set[int]:
    """Return the numbers of the last blocks of all stages, which differ in their channels."""
    widths = [block._project_conv.out_channels for block in network._blocks]
    following = [*widths[1:], None]
    numbers = range(len(widths))
    return {number for number in numbers if widths[number] != following[number]}


def _linear(convolution: Any, norm: Any) -> nn.Linear:
    """Return a convolution of one pixel and its normalization as a linear layer."""
    folded = fuse_conv_bn_eval(convolution, norm)
    layer = nn.Linear(folded.in_channels, folded.out_channels)
    layer.weight = nn.Parameter(folded.weight.detach().flatten(1))
    layer.bias = nn.Parameter(folded.bias.detach())
    return layer


def _padding(convolution: Any) -> tuple[int, int, int, int]:
    """Return the zeros that a convolution adds on the left, right, top and bottom."""
    static = convolution.static_padding
    if isinstance(static, nn.ZeroPad2d):
        left, right, top, bottom = static.padding
        return left, right, top, bottom
    return (convolution.padding[0],) * 4
