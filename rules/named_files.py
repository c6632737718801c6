"""The files and folders that a completed configuration names, and whether they exist."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from groundvec.config import parts
from groundvec.config.schema import mistake
from groundvec.runtime.errors import closest
from reproduction import sources
from rules.configuration import Configuration, Dataset
from rules.experiment import check_languages, is_precomputed

FLICKR30K = "https://forms.illinois.edu/sec/229675"  # the form for its pictures
# The key that has a part's name, where it is not `name`.
NAME_KEYS = {"sources": "source", "baselines": "encoder"}


def check_files(config: Configuration, mirror: str, public: Iterable[str]) -> None:
    """Raise InputError if a file that a completed configuration names is missing or differs.

    Snakemake itself would not notice where results exist: it would keep them.

    Args:
        mirror: the folder of the mirror, or empty.
        public: the files that can be downloaded, by their paths in data/.
    """
    public = tuple(public)
    if mirror:
        _check_path("mirror", Path(mirror), folder=True)
    for name, dataset in config["datasets"].items():
        _check_dataset(f"datasets.{name}", dataset, mirror, public)
        for model, description in dataset["models"].items():
            for kind, part in parts.chosen(description).items():
                place = f"models.{model}.{parts.CLASSES[kind].lower()}"
                _check_options(place, named_files(kind, part), public)
    for name, baseline in config.get("ratings", {}).get("baselines", {}).items():
        files = named_files("baselines", baseline)
        _check_options(f"ratings.baselines.{name}", files, public)


def _check_dataset(place: str, dataset: Dataset, mirror: str, public: tuple[str, ...]) -> None:
    """Raise InputError if a file or folder of a data set is missing, or its own table is wrong."""
    if is_precomputed(dataset):
        features = dataset["features"]
        if not (mirror and Path(mirror, features).is_file()):
            remedy = "correct the path, or name a network as `backbone`, which computes them"
            _check_path(f"{place}.features", Path(features), remedy=remedy)
    _check_options(place, named_files("sources", dataset), public)
    if "more_captions" in dataset:
        files = named_files("sources", dataset["more_captions"])
        _check_options(f"{place}.more_captions", files, public)
    folders = named_files("sources", dataset, reference="folder")
    for option, folder in folders.items():
        origin = ""
        if "flickr30k" in folder.lower():
            origin = f"; researchers get Flickr30k's pictures from {FLICKR30K}"
        _check_path(f"{place}.{option}", Path(folder), folder=True, origin=origin)
    if sources.is_early(dataset):
        check_languages(place, dataset, sources.languages(dataset))


def _check_options(place: str, files: Mapping[str, str], public: tuple[str, ...]) -> None:
    """Raise InputError if a file that options name is neither public nor there."""
    for option, file in files.items():
        if not is_public(file, public):
            _check_path(f"{place}.{option}", Path(archive(file)), known=public)


def _check_path(
    place: str,
    path: Path,
    folder: bool = False,
    known: Iterable[str] = (),
    remedy: str = "correct the path",
    origin: str = "",
) -> None:
    """Raise InputError, with the path that was probably meant, if there is no such file or folder.

    Args:
        place: the key that names the path.
        path: the path.
        folder: whether it must be a folder, and not a file.
        known: further paths that may be meant, such as public files.
        remedy: the advice if no similar path exists.
        origin: the place to get the files from, which ends the message.
    """
    exists = path.is_dir() if folder else path.is_file()
    if exists:
        return
    # Public files come first: their names are known in full, those on the disk up to a folder.
    likely = closest(str(path), known) or _closest_on_disk(path)
    hint = f"did you mean {likely}?" if likely else remedy
    kind = "folder" if folder else "file"
    raise mistake(place, f"there is no {kind} {path}; {hint}{origin}")


def _closest_on_disk(path: Path) -> str | None:
    """Find a name on the disk that is similar to the first part of a path that does not exist."""
    parent = next((parent for parent in path.parents if parent.is_dir()), None)
    if parent is None or path.exists():
        return None
    with suppress(OSError):  # a folder that may not be listed
        names = [child.name for child in parent.iterdir()]
        name = closest(path.relative_to(parent).parts[0], names)
        return str(parent / name) if name else None
    return None


def named_files(kind: str, part: Mapping[str, Any], reference: str = "file") -> dict[str, str]:
    """Return the files that a part's options name, by option.

    Args:
        reference: `file` or `folder`: the definition in schema.yaml that the options refer to.
    """
    name = part[NAME_KEYS.get(kind, "name")]
    schema = parts.options_schema(kind, name)["properties"]
    return {
        option: value
        for option, value in part.items()
        # `captions` stands for vectors that are learned from the training captions.
        if schema.get(option, {}).get("$ref") == f"#/$defs/{reference}" and value != "captions"
    }


def is_public(name: str, public: Iterable[str]) -> bool:
    """Return whether a file is one of these public files, or inside one of them."""
    return any(f"{name}/".startswith(f"{archive}/") for archive in public)


def archive(name: str) -> str:
    """Return the zip file of a path inside a zip file; other paths stay the same."""
    return re.sub(r"\.zip/.*", ".zip", name)
