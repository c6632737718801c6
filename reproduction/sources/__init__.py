"""Sources of captioned pictures: a module and a YAML file each, like the other parts.

`table` and `flickr8k` are in `groundvec/sources`: `groundvec train` reads the one, and the shipped
encoders learned from the other. A module has

    read(...) -> (captions, images)     in the columns of `groundvec.data.dataset`

and if the source is `early`, two functions with the same arguments:

    check(...) -> list of languages     reads the captions and checks that the images exist
    state(...) -> str                   a key of the pictures

The YAML file is a JSON schema of the options that a data set's description has besides `source`.
They are arguments of `read`. So are public files, by their names in resources/sources.yaml:

    files: {text: my/text.zip}

An option may state `files` too; then `read` gets these in place of the option. For the whole
source, the YAML file also states:

    unpacked: {my/images: my/images.zip}   folders among the files, with their archives
    outputs: {parallel: parallel.csv}   files that `read` writes into its argument `folder`
    languages: [en]                     the languages of the captions
    early: true                         a user's own files: checked before anything starts
    card: {name: ...}                   its description for model cards

In a card, `licence` is the weights' license in the spelling of model hubs, which includes `other`
and `unknown`; `terms` are the terms of the data, as in docs/data-sources.md; `domain` is the
subject of the captions; `biases` are biases of the pictures and of the people who described them.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import pandas as pd

from groundvec.config import parts
from groundvec.text.punctuation import detach_punctuation

Read = Callable[..., tuple[pd.DataFrame, pd.DataFrame]]


def reader(source: str) -> Read:
    """Return the function `read` of a source."""
    return _module(source).read


def _module(source: str) -> Any:
    return import_module(parts.module("sources", source))


def read_captions(more_captions: Mapping[str, Any]) -> pd.DataFrame:
    """Read the captions that a data set's `more_captions` describes, without their pictures.

    Args:
        more_captions: the `source`, its options, and its files by the names of `read`'s arguments;
            complete and checked, as a configuration is.

    Returns:
        The captions of `read`, but the ids of pictures begin with the source's name and a slash,
        and punctuation is separated by spaces, as it is in published captions.
    """
    source = more_captions["source"]
    options = {key: value for key, value in more_captions.items() if key != "source"}
    captions, _ = reader(source)(images="", **options)  # the pictures are not read
    return captions.assign(
        image_id=f"{source}/" + captions.image_id,
        caption=detach_punctuation(captions.caption, {"name": "words"}),
    )


def archives() -> dict[str, str]:
    """Return the archives of the folders that sources read, by folder."""
    unpacked: dict[str, str] = {}
    for name in parts.names("sources"):
        unpacked |= parts.options_schema("sources", name).get("unpacked", {})
    return unpacked


def arguments(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Select a data set's options for `read`, without those that are replaced by files."""
    schema = parts.options_schema("sources", dataset["source"])
    replaced = {option for option, _ in parts.keyword_values(schema, dataset, "files")}
    options = [key for key in schema["properties"] if key in dataset and key not in replaced]
    return {key: dataset[key] for key in options}


def is_early(dataset: Mapping[str, Any]) -> bool:
    """Return whether a data set's source is `early`."""
    return "early" in parts.options_schema("sources", dataset["source"])


def languages(dataset: Mapping[str, Any]) -> list[str]:
    """Check the files of a data set whose source is `early`; list its captions' languages."""
    return _module(dataset["source"]).check(**arguments(dataset))


def state(dataset: Mapping[str, Any]) -> str:
    """Compute a key of a data set's pictures; empty unless its source is `early`."""
    return _module(dataset["source"]).state(**arguments(dataset)) if is_early(dataset) else ""
