"""config/schema.json: the schema of a configuration, with which editors complete and check it."""

import json
from typing import Any

import reproduction  # noqa: F401, adds its source `scenes` to the parts
from groundvec.config.schema import configuration_schema


def anchored(schema: Any) -> Any:
    """Return a schema whose patterns match whole texts; editors would match any part of a text."""
    if isinstance(schema, list):
        return [anchored(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: anchored(value) for key, value in schema.items()}
    pattern = result.get("pattern")
    if isinstance(pattern, str):
        result["pattern"] = f"^({pattern})$"
    return result


def written() -> str:
    """Write the schema with the options of all parts."""
    schema = anchored(configuration_schema())
    # A data set that is `of` another one has that one's source.
    schema["$defs"]["dataset"]["required"] = ["models"]
    schema["$defs"]["dataset"]["anyOf"] = [{"required": ["source"]}, {"required": ["of"]}]
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


FILES = {"../config/schema.json": written}
