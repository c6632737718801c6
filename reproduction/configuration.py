"""The schema of an experiment's configuration, in addition to the library's definitions."""

from pathlib import Path

from groundvec.config import parts
from groundvec.config.schema import cases
from groundvec.config.types import Schema

SCHEMA = Path(__file__).with_name("schema.yaml")


def extend(schema: Schema) -> None:
    """Add an experiment's keys to the library's schema, with the options of every source."""
    experiment: Schema = parts.load_yaml(SCHEMA)
    definitions = schema["$defs"] | experiment.pop("$defs")
    schema |= experiment
    schema["$defs"] = definitions
    dataset = definitions["dataset"]
    for stage in ("extraction", "retrieval"):
        dataset["properties"] = definitions[stage]["properties"] | dataset["properties"]
    sources = {name: parts.options_schema("sources", name) for name in parts.names("sources")}
    dataset["properties"]["source"] |= {"enum": list(sources)}
    dataset["allOf"] += cases("source", sources, dataset["properties"])
    with_captions = {
        name: _caption_options(options)
        for name, options in sources.items()
        if "images" in options["properties"] | options.get("files", {})
    }
    more_captions = definitions["more_captions"]
    more_captions["properties"] = {"source": {"enum": list(with_captions)}}
    more_captions["allOf"] = cases("source", with_captions, ["source"])


def _caption_options(schema: Schema) -> Schema:
    """Select the options of a source that its captions need: none about images."""
    properties = {
        name: option
        for name, option in schema["properties"].items()
        if option.get("$ref") != "#/$defs/folder" and "files" not in option
    }
    required = [name for name in schema.get("required", []) if name in properties]
    return {"properties": properties, "required": required}
