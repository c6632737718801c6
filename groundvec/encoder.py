"""Encode sentences by a trained model.

A model is named by its folder, by its name in `pretrained` if it is part of this package, or by
`user/name` on a hub (`groundvec.model.hub`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypedDict,
    TypeGuard,
    Unpack,
    overload,
)

import numpy as np

from groundvec import similarity
from groundvec.model.folder import ModelFolder
from groundvec.model.sentences import Snapshot, encode_sentences
from groundvec.opening import open_model
from groundvec.runtime.arguments import typed
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.texts import refuse_blank
from groundvec.runtime.vectors import as_array, finite_floats
from groundvec.text.encoded import strings

if TYPE_CHECKING:
    from torch import Tensor

    Sentences = str | Iterable[str]
    Vectors = np.ndarray | Tensor | Sequence[np.ndarray | Tensor | Sequence[float]]


class EncodeOptions(TypedDict, total=False):
    """Options of `SentenceEncoder.encode`, besides `convert_to_tensor`.

    It is for type checkers and editors: they complete these names, and report misspelled ones.
    """

    batch_size: int | None
    show_progress_bar: bool | None
    normalize_embeddings: bool
    language: str | None
    tokenized: bool
    # Options of sentence-transformers, which are accepted with their `DEFAULTS` alone.
    convert_to_numpy: bool
    output_value: Literal["sentence_embedding"]
    precision: Literal["float32"]
    device: None
    prompt: None
    prompt_name: None
    truncate_dim: None
    pool: None
    chunk_size: None


# Options of sentence-transformers' `encode`, and the values that change nothing here.
DEFAULTS = {
    "convert_to_numpy": True,
    "output_value": "sentence_embedding",
    "precision": "float32",
    "device": None,
    "prompt": None,
    "prompt_name": None,
    "truncate_dim": None,
    "pool": None,
    "chunk_size": None,
}
# Remedies for other values, and for options that other packages have.
INSTEAD = {
    "normalize": "write normalize_embeddings",
    "show_progress": "write show_progress_bar",
    "convert_to_numpy": "leave it out: vectors are NumPy's without convert_to_tensor",
    "output_value": "leave it out: there are vectors of sentences alone",
    "precision": "write encode(...).astype('float16')",
    "device": "write SentenceEncoder(model, device=...)",
    "prompt": "put it before each sentence",
    "prompt_name": "put the prompt before each sentence",
    "truncate_dim": "write encode(...)[:, :dim]",
}


class SentenceEncoder:
    """Sentences in, vectors out: the caption encoders of an ensemble, or of one snapshot.

    >>> encoder = SentenceEncoder("flickr8k")
    >>> encoder.encode(["A dog chases a cat.", "Two red balloons above a house."]).shape
    (2, 1024)

    Attributes:
        models: the snapshots, in NumPy (`groundvec.numpy_backend`) or torch.
        description: the parts of the model.
        languages: the languages that it reads; the first is the default.
        dim: the size of the vectors.
        epochs: of the snapshots; None for the ensemble's.
        model_folder: the model's folder with its descriptions, or None for loaded snapshots.
        folder: its path, or None.
    """

    @typed
    def __init__(
        self,
        model: str | Path | ModelFolder | Sequence[Snapshot] = "flickr8k",
        epochs: Sequence[int] | None = None,
        device: str | None = None,
    ) -> None:
        """Load a model; nothing in its files is executed.

        Args:
            model: the name of a model that comes with this package, or the folder of a trained one.
                A model on a hub is `user/name`, or `user/name@revision` for the same weights for
                ever. Or a list of loaded snapshots.
            epochs: the epochs of its snapshots; by default the ensemble in `ensemble.json`.
            device: where to compute; by default a GPU if there is one. On a CPU most networks are
                computed by NumPy, without torch.

        Raises:
            InputError: no such model or snapshot; files that are damaged or have another form; the
                device cannot be used.
        """
        self.model_folder, self.models = open_model(model, epochs, device)
        self.folder = self.model_folder.path if self.model_folder else None
        self.epochs = epochs
        self.description = self.models[0].description
        self.languages = list(self.models[0].texts)
        self.dim = self.models[0].size

    def __repr__(self) -> str:
        """Return the model's name, size, languages and device."""
        name = self.folder.name if self.folder else self.description["encoder"]["name"]
        return (
            f"{type(self).__name__}({name!r}, dim={self.dim}, languages={self.languages}, "
            f"device={self.device!r})"
        )

    @property
    def device(self) -> str:
        """Return where it computes, such as cpu or cuda:0."""
        return self.models[0].device

    @typed
    def save_pretrained(self, folder: str | Path) -> None:
        """Write a model of the snapshots in use to a new folder.

        With other snapshots than the ensemble's, its bank and its card are left out.

        Raises:
            InputError: `folder` exists; the encoder was not loaded from a folder.
        """
        if self.model_folder is None:
            raise InputError("this encoder has no folder: load it from one")
        self.model_folder.copy(Path(folder), self.epochs)

    # The types of the result, for type checkers; the last definition is the method itself.
    @overload
    def encode(
        self,
        sentences: "Sentences",
        *,
        convert_to_tensor: Literal[False] = False,
        **options: Unpack[EncodeOptions],
    ) -> np.ndarray: ...

    @overload
    def encode(
        self,
        sentences: "Sentences",
        *,
        convert_to_tensor: Literal[True],
        **options: Unpack[EncodeOptions],
    ) -> "Tensor": ...

    @overload
    def encode(
        self,
        sentences: "Sentences",
        *,
        convert_to_tensor: bool,
        **options: Unpack[EncodeOptions],
    ) -> "np.ndarray | Tensor": ...

    @typed
    def encode(
        self,
        sentences: "Sentences",
        *,
        batch_size: int | None = None,
        show_progress_bar: bool | None = False,
        convert_to_tensor: bool = False,
        normalize_embeddings: bool = False,
        language: str | None = None,
        tokenized: bool = False,
        **unused: Any,
    ) -> "np.ndarray | Tensor":
        """Embed raw sentences: (n, dim) float32, in their order.

        One string is one sentence, and returns one vector (dim,). A vector depends on its sentence
        alone; in another batch it is the same to rounding (1e-6).

        Sentences are cleaned as captions are in training (`groundvec.data.cleaning`), and
        punctuation is separated from words (`groundvec.text.punctuation`). A final full stop
        changes nothing for encoders of characters and of n-grams. Characters or words that training
        never met are read as one unknown symbol; character n-grams are hashed and have no unknown.
        Sentences are cut after 1,000 characters, with a warning.

        Args:
            batch_size: the largest number of sentences in a batch; by default a good number for
                their lengths.
            convert_to_tensor: return a tensor on the encoder's device.
            normalize_embeddings: scale the vectors to unit length; models that compare cosines
                return unit vectors anyway.
            language: of the sentences; by default the first of `languages`.
            tokenized: the sentences are tokenized as the training captions are, such as "A dog 's
                ball ."; their punctuation is not separated again.
            unused: other options of sentence-transformers, with their `DEFAULTS` only.

        Raises:
            InputError: something in `sentences` is no string, or is empty; the model knows no such
                language.
            TypeError: an unknown option, or another value than its default; with a remedy.
        """
        _check_unused(unused, convert_to_tensor)
        if batch_size is not None and batch_size < 1:
            raise InputError(f"batch_size is {batch_size}: it must be 1 or more, a whole number")
        texts = strings([sentences] if isinstance(sentences, str) else sentences)
        refuse_blank(texts)
        vectors = encode_sentences(
            self.models, texts, language, bool(show_progress_bar), batch_size, tokenized
        )
        if normalize_embeddings:
            vectors = similarity.unit(vectors)
        if isinstance(sentences, str):
            vectors = vectors[0]
        if not convert_to_tensor:
            return vectors
        with extra("torch"):
            import torch
        return torch.from_numpy(vectors).to(self.device)

    # sentence-transformers' names, for encoders that read queries in another way than documents.
    encode_query = encode
    encode_document = encode

    def get_sentence_embedding_dimension(self) -> int:
        """Return the size of the vectors, `dim`, as sentence-transformers' encoders do."""
        return self.dim

    @typed
    def similarity(
        self,
        a: "Sentences | Vectors",
        b: "Sentences | Vectors",
        *,
        language: str | None = None,
        tokenized: bool = False,
    ) -> np.ndarray:
        """Compute how near each sentence, or vector, of `a` is to each of `b`: (a, b) float32.

        The model's own similarity, mostly the cosine; more is nearer. A single string or vector
        in place of several leaves its axis out, so that two of them return one number.

        Vectors may be of any numeric type and, for cosines, of any length, such as means or
        quantized vectors. The cosine of a vector of zeros is 0.

        Raises:
            InputError: vectors have another size or are not finite; also the errors of `encode`.
        """
        vectors_a = self._vectors(a, "a", language, tokenized)
        vectors_b = self._vectors(b, "b", language, tokenized)
        # An overflow is reported below, in one line that names the remedy.
        with np.errstate(over="ignore", invalid="ignore"):
            scores = similarity.scores(
                np.atleast_2d(vectors_a), np.atleast_2d(vectors_b), self.models[0].similarity
            )
        if not np.isfinite(scores).all():
            raise InputError("a and b: products overflow 32-bit floats: divide the vectors")
        return scores.reshape(vectors_a.shape[:-1] + vectors_b.shape[:-1])

    def _vectors(self, values: Any, name: str, language: str | None, tokenized: bool) -> np.ndarray:
        """Encode sentences, or return vectors in the form that `encode` returns.

        That is float32, and of unit length for cosines.
        """
        if _are_sentences(values):
            return self.encode(values, language=language, tokenized=tokenized)
        vectors = as_array(values, name)
        is_numeric = vectors.dtype.kind in "fiu"
        if not is_numeric or vectors.ndim not in (1, 2) or vectors.shape[-1] != self.dim:
            raise InputError(
                f"{name}: {vectors.dtype} of shape {vectors.shape}: give sentences, or vectors of "
                f"{self.dim} numbers each"
            )
        vectors = finite_floats(vectors, name)
        if self.models[0].similarity == "cosine":
            # Squares of the largest and smallest numbers would overflow or vanish.
            largest = np.abs(vectors).max(axis=-1, keepdims=True)
            vectors = vectors / np.where(largest > 0, largest, 1)
            vectors = similarity.unit(np.atleast_2d(vectors)).reshape(vectors.shape)
        with np.errstate(over="ignore"):
            return vectors.astype(np.float32)


def _check_unused(options: Mapping[str, Any], convert_to_tensor: bool) -> None:
    """Raise TypeError for an option that is not among `DEFAULTS`, or has another value."""
    for option, value in options.items():
        # As in sentence-transformers, convert_to_tensor decides alone.
        if option == "convert_to_numpy" and convert_to_tensor:
            continue
        if option not in DEFAULTS or value != DEFAULTS[option]:
            remedy = INSTEAD.get(option, "see its help")
            raise TypeError(f"encode() has no option {option!r}: {remedy}")


def _are_sentences(values: Any) -> "TypeGuard[Sentences]":
    """Return whether values are texts, or anything that cannot be vectors either."""
    if hasattr(values, "detach"):  # a tensor
        return False
    if isinstance(values, str | bytes | Iterator):
        return True
    try:
        first = next(iter(values), "")
    except TypeError:  # it has no elements
        return True
    return isinstance(first, str | bytes)
