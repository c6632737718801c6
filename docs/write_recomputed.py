"""Write docs/recomputed.md: the rules whose hash of code a module of the library is in.

The source files of a rule's hash are read from the rule itself.
"""

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

from groundvec import papers
from groundvec.config import parts
from groundvec.runtime.provenance import ROOT, covered

PAGE = Path(__file__).parent / "recomputed.md"
TEXT = """# What a change of code computes again

Each rule has a hash of its code: of its script, and of the modules that the script imports. Where a
script serves several rules, as `dataset.py` does, only the modules that do the rule's work count.
If a module changes, the rules beside it run again, and then the rules that read their files.
Comments and docstrings do not count.

- `a_*` are all rules whose names begin with `a_`; `a_* but b, c` excepts `a_b` and `a_c`.
- Rules in *italics* run again only for models and baselines that use the module: it is one of their
  parts, or one of these imports it.
- A change of these modules runs nothing again: {unused}.

| module | rules |
|---|---|
{rows}

`make recomputed` writes this page. A test edits every module of a copy, and compares.
"""
GROUPS = ("dataset", *papers.known())


def modules() -> list[str]:
    """The files of the library."""
    return _relative(ROOT.glob("groundvec/**/*.py"))


def sources() -> dict[str, tuple[list[str], list[str]]]:
    """For each rule the source files that all its hashes have, and those that some have one of."""
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
        of_source = [parts.file("sources", name), "groundvec/data/schema.py"]
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
    """The source files of parts."""
    return [parts.file(kind, name) for kind in kinds for name in parts.names(kind)]


def table() -> dict[str, dict[str, bool]]:
    """For each module the rules whose hash it is in, and whether that is so for all their jobs."""
    found: dict[str, dict[str, bool]] = {module: {} for module in modules()}
    for rule, (always, some) in sources().items():
        for files, of_all in ((some, False), (always, True)):
            for path in (path for file in files for path in covered(file)):
                if (module := str(path.relative_to(ROOT))) in found:
                    found[module][rule] = of_all
    return found


def page() -> str:
    """The page, in Markdown."""
    every = sorted(sources())
    rows, unused = [], []
    for module, rules in table().items():
        name = f"`{module.removeprefix('groundvec/').removesuffix('.py')}`"
        if rules:
            rows.append(f"| {name} | {_short(rules, every)} |")
        else:
            unused.append(name)
    return TEXT.format(unused=", ".join(unused), rows="\n".join(rows))


def _short(rules: dict[str, bool], every: list[str]) -> str:
    """The names of rules, of which most of a group are named together."""
    words, left = [], dict(rules)
    for group in GROUPS:
        members = [rule for rule in every if rule.startswith(f"{group}_")]
        missing = [rule.removeprefix(f"{group}_") for rule in members if rule not in left]
        if len(missing) < len(members) / 2:
            words.append(f"`{group}_*`" + (f" but {', '.join(missing)}" if missing else ""))
            left = {rule: of_all for rule, of_all in left.items() if rule not in members}
    words += [f"`{rule}`" if of_all else f"*`{rule}`*" for rule, of_all in left.items()]
    return ", ".join(sorted(words, key=lambda word: word.strip("*`")))


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(page(), encoding="utf-8")
