"""Fixtures that tests of several packages of the library share."""

from unittest.mock import patch

import pytest

from groundvec.features.backbones import Backbone
from tests.support.commands import run_here


@pytest.fixture(scope="session")
def kept_graphs():
    """Export each public image network to ONNX once, which takes more than a second."""
    graphs = {}
    make = Backbone.graph.func

    def graph(backbone):
        key = backbone.name, backbone.sha256, backbone.transform
        if backbone.graph_file or backbone.sha256 == "0" * 64:  # as networks of the tests have
            return make(backbone)
        if key not in graphs:
            graphs[key] = make(backbone)
        return graphs[key]

    with patch.object(Backbone, "graph", property(graph)):
        yield


@pytest.fixture
def kept_features(kept_graphs, tmp_path_factory, monkeypatch):
    """Let tests with the same pictures compute their features once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def groundvec(tmp_path, kept_features, monkeypatch, capsys):
    """Return a function that runs a command in a folder, and returns its standard output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROUNDVEC_MIRROR", "")

    def run(*arguments):
        capsys.readouterr()
        run_here(*arguments)
        return capsys.readouterr().out

    return run
