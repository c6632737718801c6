"""Print the tests of a folder or of a module, for `make check`."""

import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def texts():
    """Return the text of each test file."""
    paths = (ROOT / "tests").rglob("test_*.py")
    return {path.relative_to(ROOT): path.read_text("utf-8") for path in paths}


def find_tests(path):
    """List a folder's tests; for a module, its own test file and those that name it.

    Without any, a module is tested by its folder's tests, or by the next folder above with tests.
    """
    module = Path(path)
    folder = Path("tests", module)
    if module.suffix == ".py":
        folder = folder.parent
        package, _, name = ".".join(module.with_suffix("").parts).rpartition(".")
        imported = rf"from {package} import (\([^)]*|.*)\b{name}\b"
        named = re.compile(rf"{imported}|\b{re.escape(f'{package}.{name}')}\b|{module}")
        files = [
            file
            for file, text in texts().items()
            if file == folder / f"test_{name}.py" or (name in text and named.search(text))
        ]
        if files:
            return sorted(files)
    while not any((ROOT / folder).glob("**/test_*.py")):
        folder = folder.parent
    return [folder]


if __name__ == "__main__":
    print(*find_tests(sys.argv[1]))
