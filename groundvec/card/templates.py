"""Jinja2 templates. A template has the name of its module, whose hash of code includes it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def listed(names: Sequence[str]) -> str:
    """Join names: `a`, `a and b`, or `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def fill(
    template: Path,
    values: Mapping[str, Any],
    filters: Mapping[str, Callable[..., Any]] | None = None,
    **options: Any,
) -> str:
    """Fill in a template, which may include files of its folder.

    Args:
        template: the file.
        values: the values of its variables.
        filters: its filters, besides `listed`.
        options: options of `jinja2.Environment`.
    """
    environment = Environment(
        loader=FileSystemLoader(template.parent),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        **options,
    )
    environment.filters |= {"listed": listed} | dict(filters or {})
    return environment.get_template(template.name).render(values)
