import logging
import zipfile

import pandas as pd
import pytest

from groundvec.data.ratings import COLUMNS, read_ratings, read_sts
from groundvec.data.tokenization import prepare
from groundvec.results import frames
from groundvec.results.schemas import Ratings
from tests.support.refusals import refused
from tests.support.sts_files import SICK_HEADER, SUBTASKS, small, write
from tests.support.tables import cells


@pytest.mark.parametrize("public", [False, True])
def test_both_layouts(tmp_path, caplog, public):
    caplog.set_level(logging.INFO)
    pairs, tasks = read_sts(write(tmp_path, small(public)))
    assert list(pairs.columns) == COLUMNS
    rows = list(pairs.itertuples(index=False, name=None))
    assert len(rows) == 24 + 3 + 6
    assert rows[5] == ("STS 2013", "FNWN", "test", "a fnwn 's 13 .", "b 1,2", 2.5)
    assert rows[23][:4] == ("STS 2016", "Question-Question", "test", "a question-question 's 16 .")
    assert rows[24] == ("STS-B", "STS 12-16", "train", 'she said " so', "na", 5.0)
    assert rows[27] == ("SICK", "Relatedness", "train", "A Kid", "No kid", 3.3)
    splits = pairs["split"][24:].tolist()
    assert splits == ["train", "dev", "test", *["train"] * 2, *["dev"] * 2, *["test"] * 2]
    assert tasks.iloc[4].tolist() == ["STS 2012", "SMTnews", "WMT eval.", 0, 0, 1, 1]
    assert tasks.iloc[25][["train", "dev", "test", "dropped"]].tolist() == [2, 2, 2, 0]
    assert "33 pairs with a rating, 24 without one dropped" in caplog.text


def test_tokenization_and_case_are_as_asked(tmp_path):
    folders = write(tmp_path, small(False))
    pairs, _ = read_sts(folders, "none", ["SICK"])
    first = pairs.groupby("task", sort=False).sentence_a.first()
    assert first["STS 2012"] == "A MSRpar's 12."
    assert first["STS-B"] == 'She said "So'
    assert first["SICK"] == "a kid"


INPUT = "STS/STS15-en-test/STS.input.belief.txt"
GOLD = "STS/STS15-en-test/STS.gs.belief.txt"
DEV = "STS/STSBenchmark/sts-dev.csv"
TRIAL = "SICK/SICK_trial.txt"


@pytest.mark.parametrize(
    "name, content, error",
    [
        (GOLD, None, r"there is no STS\.gs\.belief\.txt in a folder STS2015-en-test or STS15-"),
        (INPUT, "", "belief.txt is empty"),
        (INPUT, "A\u2028→B\x85↵C↵", "belief.txt line 2 has 1 columns"),
        (DEV, "a→b→c→d→0.9→A→B↵" * 10, "dev.csv line 1: .* 10 dev ratings of STS-B is 0.9"),
        *cells(f"""
        {INPUT} | A→B↵C→D↵E→F↵             | belief.txt has 3 lines, but .*{GOLD} has 2
        {INPUT} | _→B↵C→D↵                 | belief.txt line 1: a sentence is empty
        {GOLD}  | 4↵five↵                  | belief.txt line 2: the rating 'five' is not a number
        {GOLD}  | ↵5.001↵                  | belief.txt line 2: the rating 5.001 is not from 0 to 5
        {DEV}   | a→b→c→d→5→A↵             | sts-dev.csv line 1 has 6 columns, not 7 to 9 separated
        {TRIAL} | HEADER 1→A→B→0.9→X↵      | SICK_trial.txt line 2: the rating 0.9 is not from 1
        {TRIAL} | 1→A→B→4→NEUTRAL↵         | SICK_trial.txt line 1 is not SICK's header
        {TRIAL} | HEADER 1→A→B→4↵          | SICK_trial.txt line 2 has 4 columns, not 5
        old/STS2015-en-test/STS.gs.belief.txt | 1↵2↵ | belief.txt is also at .*; name only
        """),
    ],
)
def test_malformed_ratings_are_named(tmp_path, name, content, error):
    """An arrow stands for a tab, and `_` for a space."""
    files = small(False)
    if content is None:
        del files[name]
    else:
        text = content.replace("_", " ").replace("→", "\t").replace("↵", "\n")
        files[name] = text.replace("HEADER ", SICK_HEADER)
    folders = write(tmp_path, files)
    with refused(error):
        read_sts(folders)


def test_folders_that_are_missing_or_named_twice(tmp_path):
    folders = write(tmp_path, small(False))
    with refused("nowhere is not a folder"):
        read_sts([*folders, tmp_path / "nowhere"])
    again, _ = read_sts([tmp_path, *folders])
    assert len(again) == 33


# --- ratings.csv --------------------------------------------------------------------------------


def test_written_pairs_are_read_again(tmp_path):
    texts = ["NA", "None", "null", "nan", '"', "a,b", "1", "Ein 🐕"]
    rows = [("T", "S", "test", text, text[::-1], number / 8) for number, text in enumerate(texts)]
    pairs = pd.DataFrame(rows, columns=COLUMNS)
    frames.write(tmp_path / "ratings.csv", pairs, Ratings)
    read = read_ratings(tmp_path / "ratings.csv")
    assert read.values.tolist() == pairs.values.tolist()
    assert read.rating.dtype == float


@pytest.mark.parametrize(
    "text, error",
    [
        ("", "is not a whole CSV file"),
        ("task,subtask,sentence_a,sentence_b,rating\n", "the columns are .* but must be task, sub"),
        ("{header}\n", "has no pairs"),
        ("{header}\nT,S,test,A,B,1\nT,S,test,A,B\n", "line 3: the rating '' is not a number"),
        ("{header}\nT,S,val,A,B,1\nT,S,val,A,B,1\n", r"line 2 \(and 1 more\): unknown split 'val'"),
        ("{header}\nSICK,Relatedness,test,A,B,0\n", "line 2: the rating 0 is not from 1 to 5"),
        ("{header}\n" + "T,S,dev,A,B,5\nT,S,test,A,B,1\n" * 10, "line 3: .* 10 test ratings"),
    ],
)
def test_a_damaged_pairs_file_is_refused(tmp_path, text, error):
    path = tmp_path / "ratings.csv"
    path.write_text(text.replace("{header}", ",".join(COLUMNS)))
    with refused(f"ratings.csv:? {error}"):
        read_ratings(path)


# --- tokens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence, tokens",
    [  # the output of Moses' tokenizer.perl -l en -no-escape
        ("The vote will take place at 5.30 p.m.", "The vote will take place at 5.30 p.m ."),
        ("write to jdvorak@kctar.com.", "write to jdvorak @ kctar.com ."),
        ("Wait...", "Wait ..."),
        (".", "."),
    ],
)
def test_a_full_stop_at_the_end_is_a_token_as_in_moses_own_script(sentence, tokens):
    assert prepare([sentence], "moses", False) == [tokens]


def test_moses_tokens_are_not_escaped():
    text = ["Don't  stop,\tthe \"cat's\" 5.5% & <b> [x].", "A man."]
    assert prepare(text, "moses", True) == [
        "don 't stop , the \" cat 's \" 5.5 % & < b > [ x ] .",
        "a man .",
    ]
    assert prepare(text, "none", False) == ["Don't stop, the \"cat's\" 5.5% & <b> [x].", "A man."]


# --- the real data --------------------------------------------------------------------------------


@pytest.mark.mirror
def test_the_mirror_has_as_many_pairs_as_the_paper(mirror, tmp_path):
    for name in ("STS", "SICK"):
        zipfile.ZipFile(mirror / "sts" / f"{name}.zip").extractall(tmp_path)
    pairs, tasks = read_sts([tmp_path / "STS", tmp_path / "SICK"], "none")

    numbers = [number for names in SUBTASKS.values() for number in names.values()]
    assert tasks.test[:24].tolist() == numbers and sum(numbers) == 12_544
    assert tasks[["train", "dev", "test"]][24:].values.tolist() == [
        [5749, 1500, 1379],
        [4500, 500, 4927],
    ]
    assert not (pairs.sentence_a.eq("") | pairs.sentence_b.eq("")).any()
