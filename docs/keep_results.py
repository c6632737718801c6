"""Update docs/results and docs/images from the results of an experiment.

Every existing file is replaced by the table or figure of its name. The files history.csv,
retrieval.csv and ratings.csv are joined from the files of all models. They keep the rows of
trainings that the results lack, because several machines may share the trainings. Claims of one
seed get the variance over seeds of the experiment's other files of claims. Then run `make pages`.
"""

import argparse
import shutil
from pathlib import Path

import pandas as pd

from groundvec.results.frames import read_csv
from groundvec.runtime.files import write_csv
from reproduction import papers
from reproduction.reporting import claims

DOCS = Path(__file__).parent
TRAINING = ["dataset", "model", "seed"]
# The files of all models, the columns that identify their systems, and the rows that pages show:
# scores of ensembles on the test set or on whole tasks.
OF_MODELS = {
    "history.csv": ("models/*/*/*/history.csv", TRAINING, "epoch != ''"),
    "retrieval.csv": (
        "retrieval/*/*/seed*[0-9].csv",
        TRAINING,
        "split == 'test' and kind == 'ensemble'",
    ),
    "ratings.csv": (
        "ratings/models/*/*/seed*[0-9].csv",
        ["system"],
        "kind == 'ensemble' and "
        "(task == 'all' and statistic == 'weighted mean' or task in ['STS-B', 'SICK'])",
    ),
}


def read(path: Path) -> pd.DataFrame:
    """Read a file as text, which keeps all digits."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def update_models(path_in_docs: Path, results: Path) -> bool:
    """Replace the rows of the models that have results; return whether there are any."""
    pattern, keys, shown = OF_MODELS[path_in_docs.name]
    tables = [read(path).query(shown) for path in sorted(results.glob(pattern))]
    if not tables:
        return False
    new = pd.concat(tables)
    # An empty file asks for a table that no earlier results had.
    old = read(path_in_docs) if path_in_docs.stat().st_size else new[:0]
    is_measured_again = pd.MultiIndex.from_frame(old[keys]).isin(
        pd.MultiIndex.from_frame(new[keys])
    )
    table = pd.concat([new, old[~is_measured_again]]).fillna("")
    write_csv(path_in_docs, table.sort_values(keys, kind="stable"))
    return True


def copy_item(path_in_docs: Path, results: Path, paper: str, name: str) -> bool:
    """Replace a file by the table or figure of this name, and return whether there is one."""
    paths = [*results.glob(f"{paper}/tables/{name}"), *results.glob(f"{paper}/figures/{name}")]
    if len(paths) > 1:
        raise SystemExit(f"error: found {' and '.join(map(str, paths))}: choose one by --paper")
    for path in paths:
        shutil.copyfile(path, path_in_docs)
    return bool(paths)


def decide_again(folder: Path) -> None:
    """Decide the claims of an experiment again by all of its files, which have different sizes."""
    paths = sorted(folder.glob("claims*.csv"))
    if not paths:
        return
    table = pd.concat([read_csv(path) for path in paths], keys=range(len(paths)))
    decided = claims.judged(table)
    # Only rows whose interval is computed again, because papers correct verdicts of the others.
    table = table.where(decided["pooled_variance"].isna(), decided, axis=0)
    for path, (_, rows) in zip(paths, table.groupby(level=0), strict=True):
        write_csv(path, rows.astype({"pooled_freedom": "Int64"}))


def keep(results: Path, paper: str = "*", docs: Path = DOCS) -> dict[Path, bool]:
    """Update the files of an experiment; return for each whether the results have it."""
    experiment = results.resolve().name
    folder = docs / "results" / experiment
    if not folder.is_dir():
        raise SystemExit(f"error: {folder} is missing: make it, with an empty file for each table")
    names = {path: path.name for path in sorted(folder.iterdir())}
    # Images are in one folder, with the experiment's name first.
    names |= {
        path: path.name.removeprefix(f"{experiment}-")
        for path in sorted((docs / "images").glob(f"{experiment}-*"))
    }
    updated = {}
    for path, name in names.items():
        updated[path] = copy_item(path, results, paper, name)
        if not updated[path] and path.name in OF_MODELS:
            updated[path] = update_models(path, results)
    decide_again(folder)
    return updated


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
        help="the paper whose tables are copied, if several papers have tables of the same name",
    )
    arguments = parser.parse_args()
    for path, is_updated in keep(arguments.results, arguments.paper).items():
        print(f"{path}: {'updated' if is_updated else 'unchanged, because the results lack it'}")
