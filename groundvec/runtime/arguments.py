"""Check the arguments of public functions by their annotations."""

import inspect
import re
from collections.abc import Callable, Collection
from functools import wraps
from itertools import chain
from numbers import Integral, Real
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import numpy as np

from groundvec.runtime.errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])
OTHERS = {int: Integral, float: Real, bool: np.bool_}  # NumPy has such values too


def typed(function: Function) -> Function:
    """Let a function raise InputError for an argument of another type than its annotation.

    Annotations that are text are skipped: only type checkers import their types.
    """
    parameters = inspect.signature(function).parameters
    hints = {name: parameter.annotation for name, parameter in parameters.items()}
    positional = [
        name
        for name, parameter in parameters.items()
        if parameter.kind == parameter.POSITIONAL_OR_KEYWORD
    ]

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        # `signature.bind` would take longer. If the arguments do not fit the signature, the call
        # below raises a TypeError with the function's name.
        for name, value in chain(zip(positional, arguments, strict=False), options.items()):
            hint = hints.get(name, Any)
            if not _fits(value, hint):
                text = hint.__name__ if isinstance(hint, type) else str(hint)
                text = re.sub(r"\b[a-z_.]+\.(?=\w)", "", text)  # without names of modules
                raise InputError(f"{name} is {value!r}: give it as {text}")
        return function(*arguments, **options)

    return checked  # type: ignore[return-value]


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value has an annotated type, with its elements if they can be read twice."""
    if hint in (Any, inspect.Parameter.empty) or isinstance(hint, str):
        return True
    parts = get_args(hint)
    origin = get_origin(hint) or hint
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if not parts:
        if isinstance(value, bool) and origin in (int, float):
            return False
        try:
            return isinstance(value, (origin, OTHERS.get(origin, origin)))
        except TypeError:  # a protocol, which the function checks
            return True
    if isinstance(value, str | bytes) or not isinstance(value, origin):
        return False
    elements = value if isinstance(value, Collection) else ()  # keys of a mapping
    return all(_fits(element, parts[0]) for element in elements)
