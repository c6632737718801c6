"""People's ratings of how similar two sentences are: STS 2012-2016, STS-B and SICK.

All are read into one form: ratings.csv (`Ratings`) and tasks.csv (`Tasks`). A rating is from 0
(nothing in common) to 5 (the same meaning); SICK's lowest is 1.
"""

import logging
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pandas as pd

from groundvec.data.dataset import SPLITS, refuse
from groundvec.data.tokenization import prepare
from groundvec.results.frames import read_fields, schema_of
from groundvec.results.schemas import Ratings, Tasks
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import open_regular, text_lines

log = logging.getLogger(__name__)

COLUMNS = list(schema_of(Ratings).columns)
TASK_COLUMNS = list(schema_of(Tasks).columns)
GROUPS = ("STS", "STS-B", "SICK")  # of tasks that are lowercased or not
LOWERCASE = ("STS", "STS-B")  # as SentEval does

# The tasks STS 2012 to STS 2016: by subtask, its name in the public files and its source.
STS: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
STSB = ("STS-B", "STS 12-16", "selection from STS 2012-2017")
SICK = ("SICK", "Relatedness", "image and video descriptions")
TASKS = (*STS, STSB[0], SICK[0])
# SentEval trains a classifier for these; its means are over the other tasks.
CLASSIFIED = {STSB[0], SICK[0]}
# If this number of ratings of a split, or more, are all from 0 to 1, their scale ends at 1, not 5.
ENOUGH = 10
SICK_FILES = {"train": "SICK_train", "dev": "SICK_trial", "test": "SICK_test_annotated"}


def read_sts(
    folders: Iterable[str | Path],
    tokenizer: str = "moses",
    lowercase: Collection[str] = LOWERCASE,
    tasks: Collection[str] = TASKS,
) -> tuple[Ratings, Tasks]:
    """Read STS 2012-2016 (Agirre et al.), STS-B (Cer et al. 2017) and SICK (Marelli et al. 2014).

    The files are found by their names anywhere in the folders. STS 2012-2016 must be in folders of
    their years, `STS12-en-test` or `STS2012-en-test`. Pairs whose rating is an empty line
    are dropped and counted.

    Args:
        folders: the folders that the archives were unpacked to.
        tokenizer: see `groundvec.data.tokenization.prepare`.
        lowercase: which of "STS" (2012-2016), "STS-B" and "SICK" to lowercase.
        tasks: some of `TASKS`; only their files are read.

    Raises:
        InputError: a file is missing or exists twice, or a line cannot be understood.
    """
    parts: list[pd.DataFrame] = []
    sources: dict[tuple[str, str], str] = {}
    dropped: dict[tuple[str, str], int] = {}
    for task, subtask, source, split, pairs in _parts(_files(folders), tasks):
        is_unrated = pairs.rating.str.strip() == ""
        sources[task, subtask] = source
        dropped[task, subtask] = is_unrated.sum() + dropped.get((task, subtask), 0)
        parts.append(pairs[~is_unrated].assign(task=task, subtask=subtask, split=split))
    ratings = pd.concat(parts, ignore_index=True)
    groups = ratings.task.str.replace(r" \d+", "", regex=True)  # STS 2012 is in the group STS
    for group in GROUPS:
        in_group = groups == group
        for column in ("sentence_a", "sentence_b"):
            sentences = ratings.loc[in_group, column]
            ratings.loc[in_group, column] = prepare(sentences, tokenizer, group in lowercase)
    ratings = _check(ratings)
    log.info("%d pairs with a rating, %d without one dropped", len(ratings), sum(dropped.values()))
    return ratings, count(ratings, sources, dropped)


def _parts(
    files: dict[tuple[str, str], list[Path]], tasks: Collection[str]
) -> Iterator[tuple[str, str, str, str, pd.DataFrame]]:
    """Yield each subtask's splits: task, subtask, source, split, and the pairs."""
    for task in STS:
        if task not in tasks:
            continue
        year = task[-2:]
        for subtask, (name, source) in STS[task].items():
            sentences = _find(files, year, f"STS.input.{name}.txt")
            gold = _find(files, year, f"STS.gs.{name}.txt")
            # The public files of 2016 have the sentences' sources in further columns.
            columns = 9 if year == "16" else 2
            pairs = _columns(sentences, 2, columns, sentence_a=0, sentence_b=1)
            ratings = _columns(gold, 1, 1, rating=0)
            if len(pairs) != len(ratings):
                raise InputError(
                    f"{sentences} has {len(pairs)} lines, but {gold} has {len(ratings)}; get both "
                    "again"
                )
            pairs["rating"] = ratings["rating"]
            pairs["where_rating"] = ratings["where_rating"]
            yield task, subtask, source, "test", pairs
    for split in SPLITS if STSB[0] in tasks else ():
        path = _find(files, "", f"sts-{split}.csv")
        yield *STSB, split, _columns(path, 7, 9, sentence_a=5, sentence_b=6, rating=4)
    for split in SPLITS if SICK[0] in tasks else ():
        path = _find(files, "", f"{SICK_FILES[split]}.txt")
        pairs = _columns(path, 5, 5, sentence_a=1, sentence_b=2, rating=3)
        if pairs.rating[:1].tolist() != ["relatedness_score"]:
            raise InputError(f"{path} line 1 is not SICK's header; get the public file again")
        yield *SICK, split, pairs[1:]


def count(
    ratings: Ratings,
    sources: dict[tuple[str, str], str],
    dropped: dict[tuple[str, str], int] | None = None,
) -> pd.DataFrame:
    """Count the pairs: the rows of tasks.csv, in the order of `sources`.

    Args:
        ratings: the rated pairs.
        sources: the origin of the sentences, by task and subtask.
        dropped: the number of pairs without a rating, by task and subtask.
    """
    counts = ratings.groupby(["task", "subtask"]).split.value_counts().unstack(fill_value=0)
    counts = counts.reindex(index=list(sources), columns=SPLITS, fill_value=0).reset_index()
    counts["source"] = list(sources.values())
    counts["dropped"] = [int((dropped or {}).get(key, 0)) for key in sources]
    return counts.rename_axis(columns=None)[TASK_COLUMNS]


def read_ratings(path: str | Path) -> Ratings:
    """Read a ratings.csv, indexed from 0; InputError names the first line that is wrong."""
    ratings = read_fields(path, COLUMNS)
    if ratings.empty:
        raise InputError(f"{path} has no pairs; make it again")
    places = [f"{path} line {row}" for row in range(2, len(ratings) + 2)]
    return _check(ratings.assign(where=places, where_rating=places))


def _check(ratings: pd.DataFrame) -> pd.DataFrame:
    """Turn ratings into numbers; InputError for the first one with a problem."""
    names = ", ".join(SPLITS)
    refuse(
        ratings[~ratings.split.isin(SPLITS)],
        f"{{where}}{{more}}: unknown split {{split!r}}; the splits are {names}",
    )
    empty = (ratings.sentence_a.str.strip() == "") | (ratings.sentence_b.str.strip() == "")
    refuse(ratings[empty], "{where}{more}: a sentence is empty; write it or remove the pair")
    rating = pd.to_numeric(ratings.rating, errors="coerce")
    refuse(
        ratings[rating.isna()],
        "{where_rating}{more}: the rating {rating!r} is not a number; correct it",
    )
    groups = rating.groupby([ratings.task, ratings.subtask, ratings.split])
    count = groups.transform("size")
    low = groups.transform("min")
    high = groups.transform("max")
    refuse(
        ratings.assign(count=count, high=high)[(count >= ENOUGH) & (low >= 0) & (high <= 1)],
        "{where_rating}: the highest of {count:,} {split} ratings of {task} is {high:g} of 5; "
        "multiply them by 5, or get the public file",
    )
    ratings = ratings.assign(lowest=(ratings.task == SICK[0]).astype(int))
    refuse(
        ratings[~rating.between(ratings.lowest, 5)],
        "{where_rating}{more}: the rating {rating} is not from {lowest} to 5; correct it",
    )
    return ratings.assign(rating=rating.astype(float))[COLUMNS]


def _files(folders: Iterable[str | Path]) -> dict[tuple[str, str], list[Path]]:
    """List the files in some folders, by year ("" outside the folders of STS) and by name."""
    files: dict[tuple[str, str], list[Path]] = {}
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder; name the folder of the unpacked archives")
        for path in sorted(folder.rglob("*.*")):
            years = re.findall(r"STS(?:20)?(\d\d)-en-test", str(path.parent))
            name = re.sub(r"^STS2016\.", "STS.", path.name)  # as all other years' files begin
            files.setdefault((years[-1] if years else "", name), []).append(path)
    return files


def _find(files: dict[tuple[str, str], list[Path]], year: str, name: str) -> Path:
    """Return the file of a name; InputError if there is none, or if there are two."""
    paths = files.get((year, name), [])
    where = f" in a folder STS20{year}-en-test or STS{year}-en-test" if year else ""
    if not paths:
        raise InputError(f"there is no {name}{where}; unpack its archive and name that folder")
    if len({path.resolve() for path in paths}) > 1:
        raise InputError(f"{paths[0]} is also at {paths[1]}; name only one of their folders")
    return paths[0]


def _columns(path: Path, fewest: int, most: int, **columns: int) -> pd.DataFrame:
    """Read some columns of a tab-separated file, as text, with the place of each row.

    Args:
        path: the file.
        fewest, most: how many columns it may have.
        columns: the numbers of the columns to read, from 0, by the names that they get.
    """
    with open_regular(path) as file:
        rows = [line.split("\t") for line in text_lines(file, path, "get the public file again")]
    if not any(any(fields) for fields in rows):
        raise InputError(f"{path} is empty; get the public file again")
    where = [f"{path} line {number}" for number in range(1, len(rows) + 1)]
    counts = pd.DataFrame({"where": where, "number": [len(fields) for fields in rows]})
    expected = str(fewest) if fewest == most else f"{fewest} to {most}"
    refuse(
        counts[~counts.number.between(fewest, most)],
        f"{{where}}{{more}} has {{number}} columns, not {expected} separated by tabs; correct it",
    )
    table = {name: [fields[number] for fields in rows] for name, number in columns.items()}
    table["where"] = where
    table["where_rating"] = where
    return pd.DataFrame(table, dtype=str)
