"""Sources of captioned pictures: a module and a YAML file each, like the other parts.

The module has

    read(...) -> (captions, images)     in the columns of `groundvec.data.dataset`
    state(...) -> str                   a key of the pictures, for a source that is `early`

The YAML file is a JSON schema of the options that a data set's description has beside `source`.
They are arguments of `read`, and so are

    files: {text: my/text.zip}          public files, by their names in resources/sources.yaml

An option may state `files` too; then they stand for it. Besides it says, of the whole source:

    unpacked: {my/images: my/images.zip}   folders among the files, and the archives they are in
    outputs: {parallel: parallel.csv}   what `read` writes into its argument `folder`
    languages: [en]                     of the captions
    early: true                         it is anybody's own: read before anything starts
    card: {name: ...}                   what model cards say of it
    mteb: [STS14]                       MTEB's tasks that share captions or pictures with it

Of a card, `licence` is the weights', as model hubs spell it (`other` and `unknown` are words of
theirs); `terms` are the data's, as in docs/data-sources.md; `domain` is what the captions are
about; `biases` are those of the pictures, and of the people who described them.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from typing import Any

import pandas as pd

from groundvec.config import parts
from groundvec.config.schema import find_mistake
from groundvec.runtime.errors import InputError
from groundvec.text.punctuation import detach_punctuation

Read = Callable[..., tuple[pd.DataFrame, pd.DataFrame]]


def reader(source: str) -> Read:
    """Return the function `read` of a source."""
    return import_module(parts.module("sources", source)).read


def read_captions(described: Mapping[str, Any]) -> pd.DataFrame:
    """Read the captions that `more_captions` of a data set describes, without their pictures.

    Args:
        described: the `source`, its options, and its files by the names of `read`'s arguments.

    Returns:
        What `read` does, but the ids of pictures begin with the source's name and a slash, and
        punctuation is set apart, as it is in published captions.

    Raises:
        InputError: there is no such source, or it needs other options or files; or what `read`
            raises.
    """
    options = {key: described[key] for key in described if key != "source"}
    source = described.get("source")
    if source not in parts.names("sources"):
        known = ", ".join(parts.names("sources"))
        raise InputError(f"more captions have no source {source!r}: choose one of {known}")
    read = reader(source)
    schema = parts.options_schema("sources", source)["properties"]
    files = {key: {"type": "string"} for key in signature(read).parameters if key not in schema}
    problem = find_mistake(options, {"properties": schema | files})
    try:
        signature(read).bind(images="", **options)
    except TypeError as error:
        problem = problem or str(error)
    if problem:
        raise InputError(f"more captions of {source}: {problem}: correct the options")
    captions, _ = read(images="", **options)
    return captions.assign(
        image_id=f"{described['source']}/" + captions.image_id,
        caption=detach_punctuation(captions.caption, {"name": "words"}),
    )


def archives() -> dict[str, str]:
    """Return the archives of the folders that sources read, by folder."""
    said = [parts.options_schema("sources", name) for name in parts.names("sources")]
    return {folder: file for each in said for folder, file in each.get("unpacked", {}).items()}


def arguments(dataset: dict[str, Any]) -> dict[str, Any]:
    """Select the options of a data set that `read` takes: all but those that files stand for."""
    schema = parts.options_schema("sources", dataset["source"])
    stated = {option for option, _ in parts.keyword_values(schema, dataset, "files")}
    return {key: dataset[key] for key in schema["properties"] if key in {*dataset} - stated}


def state(dataset: dict[str, Any]) -> str:
    """Compute a key of a data set's pictures, whose source is `early`."""
    module = import_module(parts.module("sources", dataset["source"]))
    return module.state(**arguments(dataset))
