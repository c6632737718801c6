"""A model's entry for MTEB: a Python module with its `ModelMeta` and a loader.

The file belongs into `mteb/models/model_implementations` of MTEB's repository. Before MTEB has it,
import it and call `mteb.evaluate(META, tasks)`. It was tried with MTEB 2.26.24.
"""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from groundvec.config import parts
from groundvec.data.cleaning import LONGEST
from groundvec.model import hub
from groundvec.model.folder import read_description
from groundvec.model.network import Model, load_ensemble
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
        model: the name of a model that comes with this package, or `user/name@commit` on a hub.
        path: the file, which ends in .py.

    Raises:
        InputError: there is no such model, or nobody else could load it by that name.
    """
    metadata = describe(model)
    fields = "\n".join(f"    {name}={value!r}," for name, value in metadata.items())
    write_bytes(path, MODULE.format(name=metadata["name"], fields=fields).encode())


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
    snapshots = load_ensemble(folder)
    languages = [LANGUAGES[code] for code in snapshots[0].texts if code in LANGUAGES]
    weights = [weight for snapshot in snapshots for weight in snapshot.parameters()]
    parameters = sum(weight.numel() for weight in weights)
    training_tasks = _training_tasks(read_description(folder))
    return {
        "loader_kwargs": {"model": model},
        "name": name,
        "revision": revision,
        "release_date": None,
        "languages": languages,
        "n_parameters": parameters,
        "n_embedding_parameters": sum(weight.numel() for weight in _embeddings(snapshots)),
        "memory_usage_mb": round(4 * parameters / 2**20),  # float32
        "max_tokens": LONGEST,  # characters; longer sentences are cut
        "embed_dim": snapshots[0].size,
        "license": None,
        "open_weights": True,
        "public_training_code": None,
        "public_training_data": None,
        "framework": ["PyTorch", "safetensors"],
        "similarity_fn_name": snapshots[0].similarity,
        "use_instructions": False,
        "training_datasets": training_tasks,
    }


def _embeddings(snapshots: list[Model]) -> list[Tensor]:
    """List the weights of the embedding layers."""
    modules = [module for snapshot in snapshots for module in snapshot.modules()]
    return [
        module.weight for module in modules if isinstance(module, nn.Embedding | nn.EmbeddingBag)
    ]


def _training_tasks(model: dict[str, Any]) -> list[str] | None:
    """List the tasks of MTEB whose sentences are among the training captions; None if unknown.

    The schema of a source lists them under `mteb`.
    """
    sources = [str(model.get("source", model.get("dataset")))]
    if "more_captions" in model:
        sources.append(model["more_captions"]["source"])
    tasks: set[str] = set()
    for source in sources:
        if source not in parts.names("sources"):
            return None
        schema = parts.options_schema("sources", source)
        if "mteb" not in schema:
            return None
        tasks.update(schema["mteb"])
    return sorted(tasks)
