"""Errors of the installation."""

from importlib import import_module

import pytest

from groundvec.runtime.errors import InputError, extra


def test_an_extra_is_named_for_a_missing_package_and_not_for_a_fault():
    with pytest.raises(InputError, match=r'pip install "groundvec\[hub\]"'), extra("hub"):
        import_module("a_package_that_nobody_has")
    with pytest.raises(ModuleNotFoundError), extra("hub"):
        import_module("groundvec.misspelled")
