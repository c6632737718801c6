"""List the folder of checkpoints, and remove whatever no configuration needs.

Name all configurations that you still want to run. --delete removes what none of them needs with
the present code. It keeps running work, and files that no training or extraction wrote.

Example:
  python scripts/checkpoints.py config.yaml config/*.yaml --delete
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from groundvec.cli.arguments import completed, make_parser
from groundvec.cli.program import run, show
from groundvec.runtime.errors import InputError

sys.path.append(str(Path(__file__).parents[1]))  # for `rules`


def configuration(file: str) -> dict[str, Any]:
    """Return a file's configuration with every default, for `type` of an argument."""
    from rules.experiment import complete

    def of_file(given: dict[str, Any]) -> dict[str, Any]:
        try:
            return complete(given)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None

    return completed(file, of_file)


parser = make_parser(__doc__)
parser.add_argument(
    "configurations", type=configuration, nargs="+", metavar="CONFIGURATION", help="YAML files"
)
parser.add_argument(
    "--work",
    type=Path,
    default=Path("results/checkpoints"),
    help="the folder (default: %(default)s)",
)
parser.add_argument(
    "--datasets",
    type=Path,
    default=Path("results/datasets"),
    help="where the data sets are: trainings on other captions are not needed (default: "
    "%(default)s)",
)
parser.add_argument(
    "--delete", action="store_true", help="remove what is not needed (default: only list it)"
)


def wanted(config: dict[str, Any], datasets: Path) -> Iterator[dict[str, Any]]:
    """Yield the known settings and inputs of each training, translator and extraction."""
    from groundvec.config import parts
    from groundvec.config.schema import settings_of
    from groundvec.provenance import code_hash
    from groundvec.runtime.files import sha256

    for name, data in config["datasets"].items():
        captions = datasets / data.get("of", name) / "captions.csv"
        known = {"captions": sha256(captions)} if captions.exists() else {}
        for description in data["models"].values():
            code = code_hash("groundvec/training/run.py", *parts.files(description))
            work = {"description": description, "code": code, "draw": data.get("draw"), **known}
            yield from (work | {"seed": seed} for seed in data["seeds"])
        for backbone in data["backbone"].split("+"):
            settings = settings_of("extraction", data)
            transform = {key: settings.pop(key) for key in ["interpolation"] if key in settings}
            code = code_hash("groundvec/features/extract.py")
            work = settings | {"backbone": backbone, "code": code, "transform": transform}
            yield work
            if data.get("precision") == "bfloat16":  # so is it where a CPU has no instructions
                yield work | {"precision": "float32"}
    if translation := config.get("translation"):
        languages = [translation["source"], translation["target"]]
        code = code_hash("scripts/translator.py")
        for settings in translation["systems"].values():
            yield {"settings": settings, "languages": languages, "code": code}


def main(arguments: argparse.Namespace) -> None:
    from tqdm import tqdm

    from groundvec.runtime import leftovers

    def size(count: int) -> str:
        return f"{tqdm.format_sizeof(count, divisor=1000)}B"

    found = leftovers.find(arguments.work)
    datasets = arguments.datasets
    works = [want for config in arguments.configurations for want in wanted(config, datasets)]
    unneeded = []
    for each in found:
        if each.problem:
            show(f"left alone  {each.path}: {each.problem}")
            continue
        state = "running" if each.running else "needed"
        if not each.running and not leftovers.needed(each, works):
            state = "not needed"
            unneeded.append(each)
        about = f"{each.kind:10}  {size(each.size):>7}  {leftovers.age(each):>9}"
        holder = f": {each.running}" if each.running else ""
        show(f"{state:10}  {about}  {each.path.name}  {each.name}{holder}")
    show(f"{arguments.work}: {len(found)} folders, {size(sum(each.size for each in found))}")
    freed, count = size(sum(each.freed for each in unneeded)), len(unneeded)
    if not arguments.delete:
        show(f"{count} folders are not needed: --delete removes them, which frees {freed}")
        return
    for each in unneeded:
        leftovers.remove(each)
    show(f"{count} folders removed, {freed} freed")


if __name__ == "__main__":
    run(main, parser)
