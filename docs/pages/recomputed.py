"""docs/recomputed.md: the rules whose hash of code a module of the library is in.

The source files of a rule's hash are read from the rule itself.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from groundvec import papers
from groundvec.config import parts
from groundvec.render.templates import fill
from groundvec.runtime.provenance import ROOT, covered

GROUPS = ("dataset", *papers.known())


def modules() -> list[str]:
    """List the files of the library."""
    return _relative(ROOT.glob("groundvec/**/*.py"))


def sources() -> dict[str, tuple[list[str], list[str]]]:
    """Find the files that all hashes of a rule have, and those that some have one of."""
    found = {}
    for path in sorted((ROOT / "rules").glob("*.smk")):
        rules = re.split(r"^(?=(?:use )?rule \w+)", path.read_text("utf-8"), flags=re.M)[1:]
        for rule in rules:
            files = re.findall(r'"((?:groundvec|scripts)/[^"\n]+\.py)"', rule)
            some = _parts("text") if 'parts.file("text"' in rule else []
            some = _parts("baselines") if "baseline_code(" in rule else some
            of_model = [kind for kind in parts.CLASSES if kind != "baselines"]
            some = _parts(*of_model) if "parts.files(" in rule else some
            base, name = re.findall(r"^(?:use rule (\w+) as|rule) (\w+)", rule)[0]
            if always := [file for file in files if "{" not in file]:
                found[name] = always, some
            elif base:
                found[name] = found[base]
    # Rules with names that are put together: one for each source, table and figure.
    for name in parts.names("sources"):
        of_source = [parts.file("sources", name), "groundvec/data/dataset.py"]
        found[f"dataset_{name}"] = of_source, []
    for paper, about in papers.known().items():
        for name in about.items:
            found[f"{paper}_{name}"] = [f"groundvec/papers/{paper}/{name}.py"], []
    found["try_it"][0].extend(parts.file("export/onnx", name) for name in parts.exported())
    found["page"][0].extend(_relative(papers.files()))
    return found


def _relative(paths: Iterable[Path]) -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def _parts(*kinds: str) -> list[str]:
    """List the source files of parts."""
    return [parts.file(kind, name) for kind in kinds for name in parts.names(kind)]


def table() -> dict[str, dict[str, bool]]:
    """Find the rules whose hash a module is in, and whether that is so for all their jobs."""
    found: dict[str, dict[str, bool]] = {module: {} for module in modules()}
    for rule, (always, some) in sources().items():
        for files, of_all in ((some, False), (always, True)):
            for path in (path for file in files for path in covered(file)):
                if (module := str(path.relative_to(ROOT))) in found:
                    found[module][rule] = of_all
    return found


def page() -> str:
    """Write the page."""
    every, found = sorted(sources()), table()
    names = {of: f"`{of.removeprefix('groundvec/').removesuffix('.py')}`" for of in found}
    rows = [(names[of], _short(rules, every)) for of, rules in found.items() if rules]
    unused = [names[of] for of, rules in found.items() if not rules]
    values = {"rows": rows, "unused": unused}
    return fill(ROOT / "docs" / "recomputed.template", values, keep_trailing_newline=True)


def _short(rules: dict[str, bool], every: list[str]) -> str:
    """Write the names of rules, of which most of a group are named together."""
    words, left = [], dict(rules)
    for group in GROUPS:
        members = [rule for rule in every if rule.startswith(f"{group}_")]
        missing = [rule.removeprefix(f"{group}_") for rule in members if rule not in left]
        if len(missing) < len(members) / 2:
            words.append(f"`{group}_*`" + (f" but {', '.join(missing)}" if missing else ""))
            left = {rule: of_all for rule, of_all in left.items() if rule not in members}
    words += [f"`{rule}`" if of_all else f"*`{rule}`*" for rule, of_all in left.items()]
    return ", ".join(sorted(words, key=lambda word: word.strip("*`")))


FILES = {"recomputed.md": page}
