"""Jinja2 templates: a file beside the module of its name, whose hash counts it too."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

# LaTeX is full of braces.
LATEX = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
}


def listed(names: Sequence[str]) -> str:
    """Join names: `a`, `a and b`, or `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def fill(
    template: Path,
    values: Mapping[str, Any],
    filters: Mapping[str, Callable[..., Any]] | None = None,
    **options: Any,
) -> str:
    """Fill in a template, which may include files of its folder.

    Args:
        template: its file.
        values: by their names in the template.
        filters: more of them, beside `listed`.
        options: of `jinja2.Environment`.
    """
    options = (LATEX if template.suffix == ".tex" else {}) | options
    environment = Environment(
        loader=FileSystemLoader(template.parent),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        **options,
    )
    environment.filters |= {"listed": listed, **(filters or {})}
    return environment.get_template(template.name).render(values)
