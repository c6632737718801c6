"""config/schema.json: the schema of a configuration for editors, which complete and check by it."""

import json
from typing import Any

import reproduction  # noqa: F401, whose sources are parts too
from groundvec.config.schema import configuration_schema


def anchored(schema: Any) -> Any:
    """Return a schema whose patterns match whole texts; an editor's would match any part."""
    if isinstance(schema, list):
        return [anchored(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: anchored(value) for key, value in schema.items()}
    if isinstance(pattern := found.get("pattern"), str):
        found["pattern"] = f"^({pattern})$"
    return found


def written() -> str:
    """Write the schema, with the options of all parts."""
    schema = anchored(configuration_schema())
    # A data set that is `of` another one has its source from there.
    schema["$defs"]["dataset"]["required"] = ["models"]
    schema["$defs"]["dataset"]["anyOf"] = [{"required": ["source"]}, {"required": ["of"]}]
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


FILES = {"../config/schema.json": written}
