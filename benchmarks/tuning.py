"""Measure the time to tune an image network, forward and backward, and the time of its parts.

The plain contestant is the network as its package has it, with batch normalizations in evaluation
mode and the same stages trained, by torch alone.
"""

from dataclasses import replace

import torch
from measure import Row, program, row, work
from torch import Tensor, nn

from groundvec.features import backbones
from groundvec.features.networks import FromPixels
from groundvec.features.transform import Transform
from groundvec.training import image_network, tuning
from groundvec.training.loop import keep_freed_memory

STAGE = 5
IMAGES = 64


def rows(small: bool) -> list[Row]:
    keep_freed_memory()
    backbone = backbones.load("efficientnet_lite0_stages" if small else "efficientnet_lite1_stages")
    backbone = replace(backbone, crops=1)
    count = 2 if small else IMAGES
    rounds = 1 if small else 5
    side = backbone.transform.resize
    images = torch.randint(0, 256, (count, 3, side, side), dtype=torch.uint8)
    lower, upper = image_network.divide(backbone.network, STAGE)
    encoder = tuning.PixelsEncoder(
        lower,
        upper,
        backbone.transform,
        nn.Identity(),
        "cpu",
    )
    encoder.train()
    plain = with_gradients(backbone.network)
    views = encoder.views(images)
    activations = encoder.lower(views)
    name = backbone.name.removesuffix("_stages")
    return [
        row(
            f"a view, forward and backward of {name} from stage {STAGE}",
            "s an image",
            work(count, both, encoder, images),
            work(count, both, Plain(encoder, plain, backbone.transform), images),
            rounds=rounds,
        ),
        row("a random view of an image", "s an image", work(count, encoder.views, images)),
        row(
            f"stages 1 to {STAGE - 1}, by ONNX Runtime",
            "s an image",
            work(count, encoder.lower, views),
        ),
        row(
            f"forward and backward from stage {STAGE}",
            "s an image",
            work(count, both, upper, activations),
        ),
    ]


class Plain(nn.Module):
    """Views of images -> the network as its package has it."""

    def __init__(
        self, encoder: tuning.PixelsEncoder, network: nn.Module, transform: Transform
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.network = FromPixels(network, transform)

    def forward(self, images: Tensor) -> Tensor:
        """Compute features of images (n, 3, side, side), chunk by chunk."""
        chunks = images.split(tuning.CHUNK["cpu"])
        return torch.cat([self.network(self.encoder.views(chunk)) for chunk in chunks])


def with_gradients(network: nn.Module) -> nn.Module:
    """Let a network have gradients from the stage on, but for depthwise kernels."""
    network.requires_grad_(False)
    efficientnet = network.get_submodule("network")
    upper = len(image_network.divide(network, STAGE)[1].blocks)
    blocks = list(efficientnet.get_submodule("_blocks").children())
    for module in [*blocks[-upper:], efficientnet.get_submodule("_conv_head")]:
        for name, parameter in module.named_parameters():
            parameter.requires_grad_("_depthwise_conv" not in name)
    return network


def both(network: nn.Module, *inputs: Tensor) -> None:
    """Compute features and all gradients."""
    features = network(*inputs)
    features.backward(torch.ones_like(features))


if __name__ == "__main__":
    program(__doc__, rows)
