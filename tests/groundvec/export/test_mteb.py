"""`groundvec export --to mteb` writes a module for MTEB, which stand-ins replace here."""

import argparse
import runpy
import sys
from types import ModuleType, SimpleNamespace

import pytest

from groundvec import SentenceEncoder
from groundvec.cli.commands import export
from groundvec.export import mteb
from groundvec.model import hub
from groundvec.model.shipped import PRETRAINED
from groundvec.runtime.errors import InputError

# What `ModelMeta` of MTEB 2.26.24 wants, and what else is written.
REQUIRED = {
    "loader", "name", "revision", "release_date", "languages", "n_parameters", "memory_usage_mb",
    "max_tokens", "embed_dim", "license", "open_weights", "public_training_code",
    "public_training_data", "framework", "similarity_fn_name", "use_instructions",
    "training_datasets",
}  # fmt: skip
OPTIONAL = {"loader_kwargs", "n_embedding_parameters"}


@pytest.fixture
def packages(monkeypatch):
    models = ModuleType("mteb.models")
    models.ModelMeta = SimpleNamespace
    base = ModuleType("mteb.models.abs_encoder")
    base.AbsEncoder = object
    for module in (ModuleType("mteb"), models, base):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.parametrize("name", ["flickr8k", "flickr8k-v5"])
def test_the_module_describes_and_loads_a_shipped_model(packages, tmp_path, name):
    mteb.save(name, tmp_path / "entry.py")
    meta = vars(runpy.run_path(str(tmp_path / "entry.py"))["META"])
    assert meta.keys() == REQUIRED | OPTIONAL
    assert meta["name"] == {"flickr8k": "groundvec/flickr8k-v5"}.get(name, f"groundvec/{name}")
    assert {"STS14", "SICK-R", "Flickr30kT2IRetrieval"} <= set(meta["training_datasets"])
    loaded = meta["loader"](meta["name"], meta["revision"], device="cpu", **meta["loader_kwargs"])
    about = dict.fromkeys(["task_metadata", "hf_split", "hf_subset"])
    vectors = loaded.encode([{"text": ["A dog.", "A cat."]}, {"text": ["Cars."]}], **about)
    assert vectors.shape == (3, meta["embed_dim"])
    own = SentenceEncoder(name, device="cpu").encode("Cars.")
    assert vectors[2] == pytest.approx(own, abs=1e-6)


def test_a_model_on_a_hub_is_named_by_its_commit(monkeypatch):
    monkeypatch.setattr(hub, "download", lambda name: PRETRAINED / "flickr8k-v5")
    about = mteb.describe("user/model@0123abc")
    assert (about["name"], about["revision"]) == ("user/model", "0123abc")
    assert about["loader_kwargs"] == {"model": "user/model@0123abc"}


def test_what_is_not_known_of_the_training_data_is_left_open(monkeypatch):
    monkeypatch.setattr(hub, "download", lambda name: PRETRAINED / "flickr8k-v5")
    monkeypatch.setattr(mteb, "read_description", lambda folder: {"source": "table"})
    assert mteb.describe("user/model@0123abc")["training_datasets"] is None


@pytest.mark.parametrize("model", ["user/model", str(PRETRAINED / "flickr8k-v5"), "nothing"])
def test_a_model_that_nobody_else_can_load_is_refused(model, tmp_path):
    with pytest.raises(InputError, match="push it to a hub and name it as user/name@commit"):
        mteb.save(model, tmp_path / "entry.py")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [["-o", "x.onnx"], ["-o", "x.py", "--precision", "int8"]])
def test_options_of_the_other_forms_are_refused(options):
    parser = argparse.ArgumentParser()
    export.add_arguments(parser)
    with pytest.raises(InputError, match=r"--to mteb writes a file that ends in \.py"):
        export.main(parser.parse_args(["flickr8k", "--to", "mteb", *options]))
