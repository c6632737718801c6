"""Networks that compute features."""

import hashlib
import pickle
import shutil
from pathlib import Path

import pytest
import torch
import yaml
from torchvision.models import get_model

from groundvec.features import backbones
from tests.support import ROOT
from tests.support.features import TINY, Trap, save_weights
from tests.support.refusals import refused
from tests.support.tables import cells


@pytest.mark.parametrize("name", ["mobilenet_v3_small", TINY])
def test_features_are_the_input_of_the_classifier(tmp_path, name):
    torch.manual_seed(0)
    network = get_model(name).eval()
    file = save_weights(network, tmp_path, name)
    backbone = backbones.load(name, weights_file=file)
    state = network.state_dict()
    last = list(state)[-1].removesuffix(".bias")  # the classifier comes last
    pixels = torch.rand(2, 3, 224, 224)
    with torch.inference_mode():
        features = backbone.network(pixels)
        assert features.shape == (2, backbone.width)
        scores = features @ state[f"{last}.weight"].T + state[f"{last}.bias"]
        assert torch.allclose(scores, network(pixels), atol=1e-5)
    assert backbone.weights == file.name  # not IMAGENET1K_V1, which these are not
    assert backbone.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_resnet152_means_the_weights_of_the_paper(monkeypatch):
    def download(url, *_):
        raise ConnectionError(url)

    monkeypatch.setattr(torch.hub, "download_url_to_file", download)
    monkeypatch.setattr(torch.hub, "get_dir", lambda: "/nowhere")
    monkeypatch.setattr(Path, "mkdir", lambda *_, **__: None)
    with refused(r"resnet152-394f9c45\.pth .*put it at /nowhere/check"):
        backbones.load("resnet152")


@pytest.mark.parametrize(
    "name, weights, message",
    cells(r"""
    resnet512          | V1                | unknown backbone 'resnet512'; did you mean resnet152
    resnet18           | V9                | resnet18 has no weights V9; choose .*IMAGENET1K_V1
    efficientnet_lite0 | V9                | efficientnet_lite0 has no weights V9
    shufflenet_v2_x0_5 | none.pth          | none\.pth does not exist
    shufflenet_v2_x0_5 | tiny-00000000.pth | tiny-00000000\.pth is damaged
    shufflenet_v2_x0_5 | trap.pth          | trap\.pth is not a file of weights
    shufflenet_v2_x0_5 | tensor.pth        | does not hold the weights of shufflenet
    resnet18           | tiny.pth          | does not hold the weights of resnet18
    efficientnet_lite0 | tiny.pth          | does not hold the weights of
    squeezenet1_1      | squeezenet.pth    | not end in a linear classif
    """),
)
def test_networks_and_weights_that_cannot_be_used_are_refused(
    tmp_path, monkeypatch, tiny, name, weights, message
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(tiny, "tiny.pth")
    shutil.copy(tiny, "tiny-00000000.pth")
    Path("trap.pth").write_bytes(pickle.dumps(Trap(), protocol=2))
    torch.save(torch.zeros(3), "tensor.pth")
    torch.save(get_model("squeezenet1_1").state_dict(), "squeezenet.pth")
    options = {"weights_file": Path(weights)} if ".pth" in weights else {"weights": weights}
    with refused(message):
        backbones.load(name, **options).network  # noqa: B018 (Lite reads its weights then)
    assert not Path("sprung").exists()


def test_features_of_all_stages():
    plain = backbones.load("efficientnet_lite0")
    stages = backbones.load("efficientnet_lite0_stages")
    assert stages.sha256 == plain.sha256
    assert stages.transform == plain.transform
    pixels = torch.rand(2, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    blocks = plain.network.get_submodule("_blocks")
    with torch.inference_mode():
        features = stages.network(pixels)
        assert features.shape == (2, stages.width)
        torch.testing.assert_close(features[:, : plain.width], plain.network(pixels))
        # The first stage is one block of 16 channels; the last one ends before the head.
        network = plain.network
        first = blocks[0](network._swish(network._bn0(network._conv_stem(pixels))))
        flat = first.flatten(2)
        torch.testing.assert_close(features[:, plain.width :][:, :16], flat.mean(2))
        torch.testing.assert_close(
            features[:, plain.width :][:, 16:32], flat.var(2, correction=0).sqrt()
        )
        torch.testing.assert_close(stages.network(pixels), features)  # nothing is left of before


def test_the_known_backbones_are_torchvision_s():
    import torchvision

    known = yaml.safe_load((ROOT / "groundvec/features/backbones.yaml").read_text())
    for name in [*backbones.LITE, *backbones.STAGES]:
        assert known.pop(name) == ["IMAGENET1K_V1"]
    convolutional = {"squeezenet1_0", "squeezenet1_1"}  # end in no linear layer
    names = set(torchvision.models.list_models(module=torchvision.models)) - convolutional
    weights = {n: [w.name for w in torchvision.models.get_model_weights(n)] for n in names}
    assert known == weights
