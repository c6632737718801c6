"""A model's entry for MTEB: a module with its `ModelMeta` and a loader.

The file is for `mteb/models/model_implementations` in MTEB's repository. Before it is there,
`mteb.evaluate(META, tasks)` works with the imported file. It was tried with MTEB 2.26.24.
"""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from torch import nn

from groundvec.config import parts
from groundvec.data.cleaning import LONGEST
from groundvec.model import hub
from groundvec.model.folder import read_description
from groundvec.model.network import load_ensemble
from groundvec.model.shipped import NEWEST, versions
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import write_bytes

LANGUAGES = {"en": "eng-Latn", "de": "deu-Latn"}
MODULE = '''\
"""{name}, written by `groundvec export --to mteb`. Fill in what is None, if you know it."""

import numpy as np
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder


class GroundvecEncoder(AbsEncoder):
    """Load a model with the package groundvec, which has to be installed."""

    def __init__(self, model_name, revision, device=None, *, model, **kwargs):
        from groundvec import SentenceEncoder

        self.encoder = SentenceEncoder(model, device=device)

    def encode(self, inputs, *, task_metadata, hf_split, hf_subset, prompt_type=None, **kwargs):
        return np.concatenate([self.encoder.encode(batch["text"]) for batch in inputs])


META = ModelMeta(
    loader=GroundvecEncoder,
{fields}
)
'''


def save(model: str, path: str | Path) -> None:
    """Write a model's entry for MTEB.

    Args:
        model: the name of one that comes with this package, or `user/name@commit` on a hub.
        path: the file, which ends in .py.

    Raises:
        InputError: there is no such model, or nobody else could load it by that name.
    """
    about = describe(model)
    fields = "\n".join(f"    {name}={value!r}," for name, value in about.items())
    write_bytes(path, MODULE.format(name=about["name"], fields=fields).encode())


def describe(model: str) -> dict[str, Any]:
    """List the arguments of `ModelMeta`; see `save`."""
    shipped = NEWEST.get(model, model)
    name, _, revision = model.partition("@")
    if shipped in versions():
        model = shipped
        name = f"groundvec/{shipped}"
        revision = version("groundvec")
    elif not revision or Path(model).exists():
        raise InputError(
            f"MTEB cannot load {model}: push it to a hub and name it as user/name@commit"
        )
    folder = hub.find(model)
    models = load_ensemble(folder)
    trained = read_description(folder)
    named = [str(trained.get("source", trained.get("dataset")))]
    named += [trained["more_captions"]["source"]] if "more_captions" in trained else []
    tasks: set[str] | None = set()
    for each in named:
        known = parts.options_schema("sources", each) if each in parts.names("sources") else {}
        tasks = tasks | {*known["mteb"]} if tasks is not None and "mteb" in known else None
    modules = [module for each in models for module in each.modules()]
    tables = [each.weight for each in modules if isinstance(each, nn.Embedding | nn.EmbeddingBag)]
    weights = sum(each.numel() for of in models for each in of.parameters())
    return {
        "loader_kwargs": {"model": model},
        "name": name,
        "revision": revision,
        "release_date": None,
        "languages": [LANGUAGES[each] for each in models[0].texts if each in LANGUAGES],
        "n_parameters": weights,
        "n_embedding_parameters": sum(each.numel() for each in tables),
        "memory_usage_mb": round(4 * weights / 2**20),
        "max_tokens": LONGEST,  # characters: what is longer is cut
        "embed_dim": models[0].size,
        "license": None,
        "open_weights": True,
        "public_training_code": None,
        "public_training_data": None,
        "framework": ["PyTorch", "safetensors"],
        "similarity_fn_name": models[0].similarity,
        "use_instructions": False,
        "training_datasets": tasks if tasks is None else sorted(tasks),
    }
