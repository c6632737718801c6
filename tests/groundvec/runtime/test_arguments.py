"""Arguments of another type than their annotations."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from groundvec import SentenceEncoder, evaluate
from groundvec.runtime.arguments import typed
from tests.support.refusals import refused


@typed
def function(
    count: int | None = None,
    flag: bool = False,
    paths: str | Path | Iterable[str | Path] = (),
    numbers: Sequence[int] = (),
    later: "not a type" = 0,  # noqa: F722
    **others: int,
) -> str:
    return "called"


@pytest.mark.parametrize(
    "arguments",
    [
        {"count": np.int64(1), "flag": np.True_},
        {"paths": ["a", Path("b")], "numbers": (1, np.int32(2))},
        {"paths": iter([1])},  # which can be read once only
        {"later": [], "other": "a"},
    ],
)
def test_arguments_of_the_annotated_types_are_taken(arguments):
    assert function(**arguments) == "called"


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: function("1"), "^count is '1': give it as int | None$"),
        (lambda: function(True), "count is True"),
        (lambda: function(flag=1), "^flag is 1: give it as bool$"),
        (lambda: function(paths=[1]), r"give it as str \| Path \| Iterable\[str \| Path\]$"),
        (lambda: function(paths={1: 2}), "paths is {1: 2}"),
        (lambda: function(numbers="12"), "numbers is '12'"),
        (lambda: SentenceEncoder("flickr8k").encode("A.", tokenized=[]), r"tokenized is \[\]"),
        (lambda: evaluate.compare(1, 2), "a is 1: give it as Result | DataFrame"),
    ],
)
def test_an_argument_of_another_type_is_named(call, error):
    with refused(error):
        call()


def test_an_unknown_argument_is_reported_by_python():
    with pytest.raises(TypeError, match=r"^function\(\) takes from 0"):
        function(1, True, (), (), 0, 6)
