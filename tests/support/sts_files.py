"""Files of STS 2012-2016, STS-B and SICK, in the public form and in a mirror's."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import yaml

from tests.support.folders import fill

# The names of the files, written out; the numbers are Table 1's of Merkx & Frank (2019).
SUBTASKS = yaml.safe_load("""
    "12": {MSRpar: 750, MSRvid: 750, SMTeuroparl: 459, surprise.OnWN: 750, surprise.SMTnews: 399}
    "13": {FNWN: 189, headlines: 750, OnWN: 561}
    "14": {deft-forum: 450, deft-news: 300, headlines: 750, images: 750, OnWN: 750, tweet-news: 750}
    "15": {answers-forums: 375, answers-students: 750, belief: 375, headlines: 750, images: 750}
    "16":
      answer-answer: 254
      headlines: 249
      plagiarism: 230
      postediting: 244
      question-question: 209
""")
PUBLIC = {
    "12": "STS2012-en-test/test-gold",
    "13": "STS2013-en-test/test-gs",
    "14": "STS2014-en-test/sts-en-test-gs-2014",
    "15": "STS2015-en-test/test_evaluation_task2a",
    "16": "STS2016-en-test/sts2016-english-with-gs-v1.0",
}
SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"


def small(public: bool, pairs: Iterator[tuple[str, str, float]] | None = None) -> dict[str, str]:
    """Return the content of every file by its path. Each has the next twelve of the rated pairs.

    By default each has one or two of its own.
    """

    def rows(*own):
        return list(islice(pairs, 12)) if pairs else own

    files = {}
    for year, names in SUBTASKS.items():
        folder = PUBLIC[year] if public else f"STS/STS{year}-en-test"
        prefix = "STS2016" if public and year == "16" else "STS"
        more = "\tsource one\tsource two" if public and year == "16" else ""
        for name in names:
            rated = rows((f"A {name}'s {year}.", "B 1,2", 2.5), ("Nobody", "rated this", ""))
            text = "".join(f"{a}\t{b}{more}\n" for a, b, _ in rated)
            files[f"{folder}/{prefix}.input.{name}.txt"] = text
            gold = "".join(f"{rating}\n" for *_, rating in rated)
            files[f"{folder}/{prefix}.gs.{name}.txt"] = gold
    benchmark = "stsbenchmark" if public else "STS/STSBenchmark"
    for split, end in {"train": "\r", "dev": "", "test": "\tlicence\tsource"}.items():
        files[f"{benchmark}/sts-{split}.csv"] = "".join(
            f"main-news\tMSRpar\t2012{split}\t0001\t{rating:.3f}\t{a}\t{b}{end}\n"
            for a, b, rating in rows(('She said "So', "NA", 5))
        )
    for name in ("train", "trial", "test_annotated"):
        folder = f"sick_{name}" if public else "SICK"
        rated = enumerate(rows(("A Kid", "No kid", 3.3), ("X", "Y", 1)), 1)
        text = "".join(f"{k}\t{a}\t{b}\t{max(rating, 1)}\tNEUTRAL\n" for k, (a, b, rating) in rated)
        files[f"{folder}/SICK_{name}.txt"] = SICK_HEADER + text
    return files


def write(folder: Path, files: dict[str, str | bytes]) -> list[Path]:
    """Write the files; return the folders that archives were unpacked to."""
    fill(folder, files)
    return sorted({folder / name.split("/")[0] for name in files})
