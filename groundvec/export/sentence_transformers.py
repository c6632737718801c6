"""A caption encoder as a module of the sentence-transformers package (Reimers & Gurevych 2019).

>>> from sentence_transformers import SentenceTransformer
>>> save("flickr8k", "encoder")
>>> SentenceTransformer("encoder", trust_remote_code=True).encode(["A dog runs."]).shape
(1, 1024)

The folder is also a model folder of this project, for sentences only. `trust_remote_code` trusts
the installed class below: the folder contains no code.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import InputModule
from sentence_transformers.util import load_dir_path
from torch import nn

from groundvec import similarity
from groundvec.model import weights
from groundvec.model.folder import ModelFolder, snapshot_name, without_files
from groundvec.model.hub import find
from groundvec.model.network import Model, load_ensemble, to_tensors
from groundvec.runtime.files import check_new, new_folder, write_json
from groundvec.text.encoded import strings
from groundvec.text.punctuation import detach_punctuation


def save(model: str | Path, folder: str | Path) -> None:
    """Write a model as a folder that `SentenceTransformer` loads.

    Args:
        model: the folder of a trained model, or the name of one that comes with this package.
        folder: the new folder.

    Raises:
        InputError: there is no such model, or `folder` exists.
    """
    source = find(model)
    check_new(Path(folder))
    source.files()  # raises an error for links
    module = CaptionEncoder(source)
    encoder = SentenceTransformer(
        modules=[module], device="cpu", similarity_fn_name=module.first.similarity
    )
    with new_folder(folder) as new:
        encoder.save(str(new), create_model_card=False)
        card = source.path / "README.md"
        if card.exists():
            shutil.copyfile(card, new / card.name)


class CaptionEncoder(InputModule):  # type: ignore[misc]  # mypy skips that package's types
    """Sentences in, vectors out, equal to the vectors of `groundvec.SentenceEncoder`.

    `encode(..., language="de")` reads another language than the first, and `tokenized=True`
    sentences that are tokenized as the training captions are.
    """

    forward_kwargs = {"language", "tokenized"}  # noqa: RUF012 - the package declares it so

    def __init__(self, folder: ModelFolder) -> None:
        """Load the ensemble in a model folder; InputError if it is damaged."""
        super().__init__()
        self.metadata = folder.metadata
        self.ensemble = folder.ensemble
        self.snapshots = nn.ModuleList(load_ensemble(folder))

    @property
    def first(self) -> Model:
        """Return the first snapshot; all snapshots have the same texts and description."""
        return cast(Model, self.snapshots[0])

    def preprocess(
        self,
        inputs: Sequence[Any],
        prompt: str | None = None,
        language: str | None = None,
        tokenized: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Encode sentences for `forward`, each after the prompt if there is one.

        Raises:
            InputError: something is not a string.
        """
        text = self.first.texts[self.first.language(language)]
        sentences = [f"{prompt or ''}{sentence}" for sentence in strings(inputs)]
        if not tokenized:
            sentences = detach_punctuation(sentences, self.first.description["text"])
        encoded = text.encode(sentences)
        return {"sentences": encoded.batch(np.arange(len(encoded)))}

    def forward(
        self, features: dict[str, Any], language: str | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Add the vectors (B, size) as `sentence_embedding`."""
        language = self.first.language(language)
        batch = to_tensors(features["sentences"], next(self.parameters()).device)
        vectors = []
        for snapshot in self.snapshots:
            vectors.append(cast(Model, snapshot).embed_captions(language, batch))
        # The mean and the sum have the same direction: scaled to unit length, as `similarity.join`.
        mean = torch.stack(vectors).mean(dim=0)
        return features | {"sentence_embedding": similarity.embed(mean, self.first.similarity)}

    def get_embedding_dimension(self) -> int:
        """Return the size of the vectors."""
        return self.first.size

    def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
        """Write a model folder; its weights are always safetensors."""
        folder = Path(output_path)
        epochs = self.ensemble["epochs"]
        sums = {
            str(epoch): weights.save(model, folder / "snapshots" / snapshot_name(epoch))
            for epoch, model in zip(epochs, self.snapshots, strict=True)
        }
        content = without_files(self.metadata)  # only a search of pictures reads these
        content["saved"] = epochs
        content["sha256"] = sums
        write_json(folder / "model.json", content)
        write_json(folder / "ensemble.json", self.ensemble)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", *args: Any, **kwargs: Any) -> Self:
        """Load a folder that `save` wrote, here or on the hub."""
        hub_options = ("token", "cache_folder", "revision", "local_files_only")
        options = {key: kwargs[key] for key in hub_options if key in kwargs}
        path = load_dir_path(model_name_or_path, subfolder, **options) or model_name_or_path
        return cls(ModelFolder(path))
