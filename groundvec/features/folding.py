"""Batch normalizations folded into the convolutions before them: the same features, sooner."""

import copy

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

TOLERANCE = 1e-3  # of the largest feature; float32's rounding is below 1e-5


@torch.no_grad()
def fold(network: nn.Module, side: int) -> nn.Module:
    """Return a copy of a network with batch normalizations folded into its convolutions.

    In evaluation mode, a normalization is a linear map of a convolution's output, so its factors
    can be multiplied into the convolution's weights. One forward pass shows which normalization
    reads which convolution. If the folded network computes other features, the network is returned
    as it is.

    Args:
        network: in evaluation mode; it is not changed.
        side: of the images (n, 3, side, side) that it reads.
    """
    folded = copy.deepcopy(network)
    # Convolutions by the ids of their outputs. The outputs are held, so that no id is used again.
    outputs: dict[int, tuple[nn.Conv2d, torch.Tensor]] = {}
    pairs: list[tuple[nn.Conv2d, nn.BatchNorm2d]] = []

    def after(convolution: nn.Conv2d, _: object, output: torch.Tensor) -> None:
        outputs[id(output)] = convolution, output

    def before(norm: nn.BatchNorm2d, inputs: tuple[torch.Tensor]) -> None:
        if id(inputs[0]) in outputs:
            pairs.append((outputs[id(inputs[0])][0], norm))

    hooks = []
    for module in folded.modules():
        if isinstance(module, nn.Conv2d):
            hooks.append(module.register_forward_hook(after))
        elif isinstance(module, nn.BatchNorm2d):
            hooks.append(module.register_forward_pre_hook(before))
    generator = torch.Generator().manual_seed(0)
    pixels = torch.randn(1, 3, side, side, generator=generator)
    expected = folded(pixels)
    for hook in hooks:
        hook.remove()
    names = {module: name for name, module in folded.named_modules()}
    for convolution, norm in pairs:
        folded.set_submodule(names[convolution], fuse_conv_bn_eval(convolution, norm))
        folded.set_submodule(names[norm], nn.Identity())
    difference = (folded(pixels) - expected).abs().max()
    return folded if difference <= TOLERANCE * expected.abs().max() else network
