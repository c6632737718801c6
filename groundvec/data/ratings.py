"""People's ratings of how similar two sentences are: STS 2012-2016, STS-B and SICK.

All come to one form: ratings.csv (`Ratings`) and tasks.csv (`Tasks`). A rating is from 0 (nothing
in common) to 5 (the same meaning); SICK's begin at 1.
"""

import logging
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import pandas as pd

from groundvec.data.dataset import SPLITS, refuse
from groundvec.data.tokenization import prepare
from groundvec.results.frames import read_fields, schema_of
from groundvec.results.schemas import Ratings, Tasks
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import text_lines

log = logging.getLogger(__name__)

COLUMNS = list(schema_of(Ratings).columns)
TASK_COLUMNS = list(schema_of(Tasks).columns)
GROUPS = ("STS", "STS-B", "SICK")  # what is lowercased or not
LOWERCASE = ("STS", "STS-B")  # by SentEval

# Table 1 of Merkx & Frank 2019: subtask, its name in the files, source. SMT of 2013 is not public.
STS = {
    "STS 2012": (
        ("MSRpar", "MSRpar", "newswire"),
        ("MSRvid", "MSRvid", "videos"),
        ("SMTeuroparl", "SMTeuroparl", "WMT eval."),
        ("OnWN", "surprise.OnWN", "glosses"),
        ("SMTnews", "surprise.SMTnews", "WMT eval."),
    ),
    "STS 2013": (
        ("FNWN", "FNWN", "glosses"),
        ("HDL", "headlines", "newswire headlines"),
        ("OnWN", "OnWN", "glosses"),
    ),
    "STS 2014": (
        ("Deft-forum", "deft-forum", "forum posts"),
        ("Deft-news", "deft-news", "news summary"),
        ("HDL", "headlines", "newswire headlines"),
        ("Images", "images", "image descriptions"),
        ("OnWN", "OnWN", "glosses"),
        ("Tweet-news", "tweet-news", "tweet-news pairs"),
    ),
    "STS 2015": (
        ("Answers forum", "answers-forums", "Q&A forum answers"),
        ("Answers student", "answers-students", "student answers"),
        ("belief", "belief", "committed belief"),
        ("HDL", "headlines", "newswire headlines"),
        ("Images", "images", "image descriptions"),
    ),
    "STS 2016": (
        ("Answer-Answer", "answer-answer", "Q&A forum answers"),
        ("HDL", "headlines", "newswire headlines"),
        ("Plagiarism", "plagiarism", "short-answer plagiarism"),
        ("Postediting", "postediting", "MT postedits"),
        ("Question-Question", "question-question", "Q&A forum questions"),
    ),
}
STSB = ("STS-B", "STS 12-16", "selection from STS 2012-2017")
SICK = ("SICK", "Relatedness", "image and video descriptions")
TASKS = (*STS, STSB[0], SICK[0])
ENOUGH = 10  # ratings of a split; if all are from 0 to 1, that is their scale
SICK_FILES = {"train": "SICK_train", "dev": "SICK_trial", "test": "SICK_test_annotated"}


def read_sts(
    folders: Iterable[str | Path],
    tokenizer: str = "moses",
    lowercase: Collection[str] = LOWERCASE,
    tasks: Collection[str] = TASKS,
) -> tuple[Ratings, Tasks]:
    """Read STS 2012-2016 (Agirre et al.), STS-B (Cer et al. 2017) and SICK (Marelli et al. 2014).

    The files are looked for by their names anywhere in the folders; those of STS 2012-2016 must be
    in a folder of their year, `STS12-en-test` or `STS2012-en-test`. Pairs with an empty line for a
    rating are dropped, and counted.

    Args:
        folders: what the archives were unpacked to.
        tokenizer: see `groundvec.data.tokenization.prepare`.
        lowercase: which of "STS" (2012-2016), "STS-B" and "SICK" to lowercase.
        tasks: some of `TASKS`; only their files are read.

    Raises:
        InputError: a file is missing or there twice, or a line cannot be understood.
    """
    parts: list[pd.DataFrame] = []
    sources: dict[tuple[str, str], str] = {}
    dropped: dict[tuple[str, str], int] = {}
    for task, subtask, source, split, rows in _parts(_files(folders), tasks):
        unrated = rows.rating.str.strip() == ""
        sources[task, subtask] = source
        dropped[task, subtask] = unrated.sum() + dropped.get((task, subtask), 0)
        parts.append(rows[~unrated].assign(task=task, subtask=subtask, split=split))
    ratings = pd.concat(parts, ignore_index=True)
    group = ratings.task.str.replace(r" \d+", "", regex=True)
    for each in GROUPS:
        for column in ("sentence_a", "sentence_b"):
            of_group = group == each
            texts = ratings.loc[of_group, column]
            ratings.loc[of_group, column] = prepare(texts, tokenizer, each in lowercase)
    ratings = _check(ratings)
    log.info("%d pairs with a rating, %d without one dropped", len(ratings), sum(dropped.values()))
    return ratings, count(ratings, sources, dropped)


def _parts(
    files: dict[tuple[str, str], list[Path]], tasks: Collection[str]
) -> Iterator[tuple[str, str, str, str, pd.DataFrame]]:
    """Read each subtask's splits: task, subtask, source, split, and the pairs."""
    for task in (task for task in STS if task in tasks):
        year = task[-2:]
        for subtask, name, source in STS[task]:
            sentences = _find(files, year, f"STS.input.{name}.txt")
            gold = _find(files, year, f"STS.gs.{name}.txt")
            # The public files of 2016 say in further columns where the sentences come from.
            rows = _columns(sentences, 2, 9 if year == "16" else 2, sentence_a=0, sentence_b=1)
            golds = _columns(gold, 1, 1, rating=0)
            if len(rows) != len(golds):
                raise InputError(
                    f"{sentences} has {len(rows)} lines, but {gold} has {len(golds)}; get both "
                    "again"
                )
            rated = {name: golds[name] for name in ("rating", "where_rating")}
            yield task, subtask, source, "test", rows.assign(**rated)
    for split in SPLITS if STSB[0] in tasks else ():
        path = _find(files, "", f"sts-{split}.csv")
        yield *STSB, split, _columns(path, 7, 9, sentence_a=5, sentence_b=6, rating=4)
    for split in SPLITS if SICK[0] in tasks else ():
        path = _find(files, "", f"{SICK_FILES[split]}.txt")
        rows = _columns(path, 5, 5, sentence_a=1, sentence_b=2, rating=3)
        if rows.rating[:1].tolist() != ["relatedness_score"]:
            raise InputError(f"{path} line 1 is not SICK's header; get the public file again")
        yield *SICK, split, rows[1:]


def count(
    ratings: Ratings,
    sources: dict[tuple[str, str], str],
    dropped: dict[tuple[str, str], int] | None = None,
) -> pd.DataFrame:
    """Count the pairs: the rows of tasks.csv, in the order of `sources`.

    Args:
        sources: where the sentences come from, by task and subtask.
        dropped: the pairs without a rating, likewise.
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
    """Raise InputError for the first rating with a problem; turn them into numbers."""
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
    count, low, high = (groups.transform(each) for each in ("size", "min", "max"))
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
    """List the files in some folders, by year ("" if in no folder of a year of STS) and by name."""
    files: dict[tuple[str, str], list[Path]] = {}
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder; name what the archives were unpacked to")
        for path in sorted(folder.rglob("*.*")):
            years = re.findall(r"STS(?:20)?(\d\d)-en-test", str(path.parent))
            name = re.sub(r"^STS2016\.", "STS.", path.name)
            files.setdefault((years[-1] if years else "", name), []).append(path)
    return files


def _find(files: dict[tuple[str, str], list[Path]], year: str, name: str) -> Path:
    found = files.get((year, name), [])
    where = f" in a folder STS20{year}-en-test or STS{year}-en-test" if year else ""
    if not found:
        raise InputError(f"there is no {name}{where}; unpack its archive and name that folder")
    if len({path.resolve() for path in found}) > 1:
        raise InputError(f"{found[0]} is also at {found[1]}; name only one of their folders")
    return found[0]


def _columns(path: Path, fewest: int, most: int, **columns: int) -> pd.DataFrame:
    """Read some columns of a tab-separated file, as text, and where each row is."""
    with path.open("rb") as file:
        fields = [line.split("\t") for line in text_lines(file, path, "get the public file again")]
    if not any(map(any, fields)):
        raise InputError(f"{path} is empty; get the public file again")
    where = [f"{path} line {i}" for i in range(1, len(fields) + 1)]
    counts = pd.DataFrame({"where": where, "number": [len(row) for row in fields]})
    wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
    refuse(
        counts[~counts.number.between(fewest, most)],
        f"{{where}}{{more}} has {{number}} columns, not {wanted} separated by tabs; correct it",
    )
    rows = {name: [row[i] for row in fields] for name, i in columns.items()}
    return pd.DataFrame({**rows, "where": where, "where_rating": where}, dtype=str)
