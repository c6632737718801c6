"""Write the generated parts of the pages: tables in README.md and docs/*.md, files, and drawings.

A table is between `<!-- table: NAME -->` and `<!-- end -->`. Its name is declared in
docs/pages/declared.yaml, or is FOLDER/TABLE, a Markdown file in docs/results. A module in this
folder belongs to one page, or to a few pages about the same results. It has the functions that
write tables, `FILES`, which are generated completely, and `values()`, the numbers in sentences.

docs/keep_results.py copies docs/results from results/. Each file names the commit that made it.
"""

import argparse
import re
from collections import ChainMap
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from docs.pages import tables
from docs.pages.tables import DECLARED, KEPT, ROOT

MODULES = {
    path.stem: import_module(f"docs.pages.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem != "__main__"
}
# Long tables are files of their own, which the pages link.
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "tables").glob("*.md")),
]
MARKERS = re.compile(r"(<!-- table: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
TABLES: dict[str, Callable[[], str]] = {}
for name, declaration in DECLARED["tables"].items():
    options = {"function": declaration} if isinstance(declaration, str) else declaration
    if options["function"].startswith("|"):
        TABLES[name] = partial(tables.rendered, options["function"])
        continue
    module, _, function = options.pop("function").partition(".")
    TABLES[name] = partial(getattr(MODULES[module], function), **options)


def page(path: Path) -> str:
    """Return a page with its tables written again."""

    def written(match: re.Match[str]) -> str:
        start, name, end = match.groups()
        file = KEPT / f"{name}.md"
        if file.exists():
            return f"{start}{file.read_text(encoding='utf-8')}{end}"
        if name not in TABLES:
            raise SystemExit(
                f"error: {path} names the table {name!r}: use one of {', '.join(TABLES)}, or a "
                "table in docs/results/, as FOLDER/TABLE"
            )
        return f"{start}{TABLES[name]()}\n{end}"

    return MARKERS.sub(written, path.read_text(encoding="utf-8"))


# Every file that this program writes, with the function that returns its text.
FILES: dict[Path, Callable[[], str]] = {path: partial(page, path) for path in PAGES} | {
    (ROOT / "docs" / name).resolve(): write
    for module in MODULES.values()
    for name, write in getattr(module, "FILES", {}).items()
}


def sentences() -> list[tuple[str, str]]:
    """List the parts of sentences with numbers that pages have to contain, each with its page."""
    values = [module.values() for module in MODULES.values() if hasattr(module, "values")]
    names = ChainMap(*values)
    # `ChainMap` would hide one of two values with the same name.
    assert len(names) == sum(map(len, values)), "two modules have a value of the same name"
    parts = []
    for name, template in DECLARED["sentences"].items():
        text = tables.rendered(DECLARED["rows"] + template, names)
        parts += [(name, line) for line in text.splitlines()]
    return parts


def main() -> None:
    """Write all files, or the files on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="such as docs/best.md; by default all")
    chosen = {path.resolve() for path in parser.parse_args().files} or set(FILES)
    unknown = chosen - set(FILES)
    if unknown:
        raise SystemExit(f"error: {', '.join(map(str, unknown))} is no page: name one of docs/")
    for path, write in FILES.items():
        if path in chosen:
            path.write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()
