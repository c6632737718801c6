"""YAML that anybody may have written: read strictly, and refused if its form cannot be judged."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from groundvec.config.schema import dotted, mistake, not_text
from groundvec.runtime.errors import InputError

# A configuration of this project has at most a few hundred values. YAML's aliases can make billions
# of values from ten lines.
MOST_VALUES = 10_000
DEEPEST = 20  # levels of nested values


class _Loader(yaml.SafeLoader):
    """Refuses repeated keys: YAML keeps the last one."""

    def __init__(self, text: str, place: str | Path) -> None:
        super().__init__(text)
        self.place = place

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        keys = set()
        for key_node, _ in node.value:
            key = str(key_node.value)
            if key in keys:
                line = key_node.start_mark.line + 1
                raise InputError(
                    f"{self.place} line {line}: the key {key} occurs twice: remove one"
                )
            keys.add(key)
        return node


def read_yaml(text: str, place: str | Path) -> Any:
    """Read YAML, which may come from anybody; errors name the place.

    Raises:
        InputError: it is no YAML, has too many levels, or has a key twice.
    """
    try:
        return _Loader(text, place).get_single_data()
    except InputError:
        raise
    except RecursionError:
        raise InputError(f"{place} has too many levels: correct it") from None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible date, as 2026-02-30
        raise InputError(f"{place} is not YAML: {' '.join(str(error).split())}") from None


def check_form(config: dict[str, Any]) -> None:
    """Raise InputError if values contain themselves or are too many, or if a name is not text."""
    for number, (place, value) in enumerate(_walk(config)):
        if len(place) > DEEPEST or number > MOST_VALUES:
            raise mistake(place[0], "it contains itself, or too many values")
        for key in value if isinstance(value, Mapping) else []:
            if not isinstance(key, str):
                raise mistake(dotted(place), not_text(key))


def _walk(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield all values of a configuration with their places, level by level.

    A value that contains itself has endless levels, so each is made only when it is asked for.
    """
    level: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while level:
        yield from level
        next_level = []
        for place, outer in level:
            if isinstance(outer, Mapping):
                next_level += [((*place, key), inner) for key, inner in outer.items()]
            elif isinstance(outer, list):
                next_level += [((*place, number), inner) for number, inner in enumerate(outer)]
        level = next_level
