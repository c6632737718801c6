"""Copy what the pages show of an experiment from its results into docs/results and docs/images.

Every file that is there is renewed from the table or figure of its name. Without one, history.csv,
retrieval.csv and ratings.csv are made of the files of all models; rows of trainings
that these results lack stay, as where machines share the trainings. Claims of one seed get the
variance over seeds of the experiment's other files of claims. Then run `make pages`.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.results import frames
from groundvec.results.frames import schema_of
from groundvec.results.schemas import ORIGIN, Claims
from groundvec.runtime.files import write_csv
from reproduction import papers
from reproduction.reporting import claims

DOCS = Path(__file__).parent
# The files of all models, and the columns that tell their systems apart.
OF_MODELS = {
    "history.csv": ("models/*/*/*/history.csv", ["dataset", "model", "seed"]),
    "retrieval.csv": ("retrieval/*/*/seed*[0-9].csv", ["dataset", "model", "seed"]),
    "ratings.csv": ("ratings/models/*/*/seed*[0-9].csv", ["system"]),
}


def read(path: Path) -> pd.DataFrame:
    """Read a file as text, so that no digit changes."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def shown(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """Select the rows that pages show: ensembles' scores, on the test set or on whole tasks."""
    if name == "retrieval.csv":
        return table[table["split"].eq("test") & table["kind"].eq("ensemble")]
    if name == "ratings.csv":
        mean = table["task"].eq("all") & table["statistic"].eq("weighted mean")
        return table[table["kind"].eq("ensemble") & (mean | table["task"].isin(["STS-B", "SICK"]))]
    return table


def of_models(kept: Path, results: Path) -> bool:
    """Renew the rows of the models that there are results of."""
    pattern, keys = OF_MODELS[kept.name]
    tables = [shown(kept.name, read(path)) for path in sorted(results.glob(pattern))]
    if not tables:
        return False
    new = pd.concat(tables)
    old = read(kept) if kept.stat().st_size else new[:0]
    if not set(old) <= set(new):  # a paper's table of the same name
        return False
    again = pd.MultiIndex.from_frame(old[keys]).isin(pd.MultiIndex.from_frame(new[keys]))
    table = pd.concat([new, old[~again]]).fillna("")
    write_csv(kept, table.sort_values(keys, kind="stable"))
    return True


def copied(kept: Path, results: Path, paper: str, name: str) -> bool:
    """Copy the table or figure of this name over a file, if there is one."""
    found = [*results.glob(f"{paper}/tables/{name}"), *results.glob(f"{paper}/figures/{name}")]
    if len(found) > 1:
        raise SystemExit(f"error: there are {' and '.join(map(str, found))}: choose by --paper")
    for path in found:
        shutil.copyfile(path, kept)
    return bool(found)


def decide_again(folder: Path) -> None:
    """Decide the claims of an experiment by all of its files, of which each has other sizes."""
    columns = [*schema_of(Claims).columns, *ORIGIN]
    paths = sorted(folder.glob("claims*.csv"))
    texts = [read(path).reindex(columns=columns, fill_value="") for path in paths]
    tables = [
        frames.checked(text.replace("", np.nan), Claims, path, "correct the file")
        for path, text in zip(paths, texts, strict=True)
    ]
    if not tables:
        return
    # Write only what is computed again, so that no other digit changes.
    decided = claims.judged(pd.concat(tables, keys=range(len(paths)), names=["file", None]))
    names = ["low", "high", "verdict", "of_items", "pooled_variance", "pooled_freedom"]
    changed = decided.loc[decided["pooled_variance"].notna(), names]
    changed = changed.astype({"pooled_freedom": int}).astype(str)
    for number, (path, text) in enumerate(zip(paths, texts, strict=True)):
        own = changed[changed.index.get_level_values("file") == number].droplevel("file")
        text.loc[own.index, names] = own
        write_csv(path, text)


def keep(results: Path, paper: str = "*", docs: Path = DOCS) -> dict[Path, bool]:
    """Renew the files of an experiment; says of each whether the results have it."""
    experiment = results.resolve().name
    folder = docs / "results" / experiment
    if not folder.is_dir():
        raise SystemExit(f"error: there is no {folder}: make it, with an empty file for each table")
    names = {path: path.name for path in sorted(folder.iterdir())}
    names |= {
        path: path.name.removeprefix(f"{experiment}-")
        for path in sorted((docs / "images").glob(f"{experiment}-*"))
    }
    renewed = {
        path: copied(path, results, paper, name)
        or (path.name in OF_MODELS and of_models(path, results))
        for path, name in names.items()
    }
    decide_again(folder)
    return renewed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python docs/keep_results.py results/flickr8k-seeds",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", type=Path, help="an experiment's folder in results/")
    parser.add_argument(
        "--paper",
        choices=papers.known(),
        default="*",
        help="whose tables are copied, if several papers have tables of the same names",
    )
    arguments = parser.parse_args()
    for path, there in keep(arguments.results, arguments.paper).items():
        print(f"{path}: {'renewed' if there else 'as it was: the results do not have it'}")
