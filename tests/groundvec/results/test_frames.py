"""Result files are checked by their schemas when they are written and read."""

import gzip
import re
from typing import Annotated

import numpy as np
import pandas as pd
import pytest
import yaml

from groundvec.results import frames, schemas
from groundvec.results.frames import Column, Schema
from reproduction import schemas as of_study
from reproduction.papers.calixto_liu_2017 import reported as calixto_liu_2017
from reproduction.papers.merkx_frank_2019 import reported as merkx_frank_2019
from reproduction.papers.socher_2014 import reported as socher_2014
from tests.support.limits import allocates_less_than
from tests.support.refusals import refused
from tests.support.result_files import filled
from tests.support.tables import cells

MODULES = (schemas, of_study, merkx_frank_2019, socher_2014, calixto_liu_2017)
FOUND = {name: form for module in MODULES for name, form in vars(module).items()}
FORMS = {name: form for name, form in FOUND.items() if hasattr(form, "__metadata__")}
Form = Annotated[
    pd.DataFrame,
    Schema(
        "x.csv",
        "one row per x",
        ("kind", "word"),
        kind=Column("kind", ("a", "b")),
        word=Column("text", empty=("b",)),
        count=Column("count", dtype=int, low=1),
        share=Column("share", dtype=float, low=-1, high=1, empty=True),
    ),
]
GOOD = pd.DataFrame(
    {"kind": ["a", "b"], "word": ["null", None], "count": [1, 2], "share": [0.25, np.nan]}
)


def test_a_written_table_is_read_again(tmp_path):
    path = tmp_path / "x.csv"
    frames.write(path, GOOD[["share", "count", "word", "kind"]], Form)
    found = frames.read(path, Form)
    assert list(found) == list(GOOD)  # the order of the schema
    assert found["word"].tolist()[0] == "null" and pd.isna(found["word"][1])
    assert found["count"].tolist() == [1, 2] and found["share"].tolist()[0] == 0.25


@pytest.mark.parametrize(
    "changes, message",
    cells("""
    {kind: [a, c]}               | line 3: kind is 'c', not one of a, b
    {word: [null, x]}            | line 2 has no word
    {count: [1, 1.5]}            | line 3: count is '1.5', not a whole number
    {count: [1, 0]}              | line 3: count is '0', less than 1
    {count: [many, 1]}           | line 2: count is 'many', not a number
    {count: [true, true]}        | line 2: count is 'True', not a number
    {share: [0.0, 1.01]}         | line 3: share is '1.01', more than 1
    {kind: [b, b], word: [x, x]} | line 3 has the same kind, word as a line
    """),
)
def test_a_bad_field_is_named_with_its_file_and_line(tmp_path, changes, message):
    path = tmp_path / "x.csv"
    table = GOOD.assign(**yaml.safe_load(changes))
    start = re.escape(f"{path} {message}")
    with refused(f"^{start}"):
        frames.write(path, table, Form)
    assert not path.exists()
    table.to_csv(path, index=False)
    with refused(f"^{start}.*: delete the file and make it again$"):
        frames.read(path, Form)


@pytest.mark.parametrize("commas", [(",", ""), ("", ","), (",", ",")])
def test_a_comma_at_the_end_of_lines_is_no_column(tmp_path, commas):
    header, row = commas
    (tmp_path / "x.csv").write_text(f"kind,word,count,share{header}\na,x,1,0{row}\n")
    assert frames.read(tmp_path / "x.csv", Form).to_numpy().tolist() == [["a", "x", 1, 0]]


def test_float32_s_rounding_is_within_the_bounds(tmp_path):
    table = GOOD.assign(share=[np.float32(1.000001), -1.000001])
    frames.write(tmp_path / "x.csv", table, Form)
    assert len(frames.read(tmp_path / "x.csv", Form)) == 2


@pytest.mark.parametrize(
    "content, message",
    cells("""
    kind,word,count,share↵                | has no rows
    kind,word,count↵a,x,1↵                | has no column share
    kind,word,count,share↵a,"x,1,0↵       | is not a whole CSV file
    kind,word,count,share↵a,x,1,0,9↵      | rows have more fields than the header
    kind,word,count,share↵a,x,1e999,0↵    | line 2: count is 'inf', not a number
                                          | is not a whole CSV file
    """),
)
def test_damaged_files_are_one_line(tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_text(content.replace("↵", "\n"))
    with refused(f"{path} .*{message}"):
        frames.read(path, Form)


def test_a_table_that_is_packed_is_no_table(tmp_path):
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"\n" * 2**26))
    with refused("is not a whole CSV file"):
        frames.read_csv(tmp_path / "x.csv.gz")


def test_two_files_about_the_same_are_named(tmp_path):
    for name in ("one.csv", "two.csv"):
        frames.write(tmp_path / name, GOOD, Form)
    with refused(r"two\.csv repeats rows of another input"):
        frames.read_all([tmp_path / "one.csv", tmp_path / "two.csv"], Form)


def test_a_check_costs_little_memory():
    table = pd.DataFrame({"kind": "a", "word": "x", "count": range(1, 100_001), "share": 0.5})
    form = Annotated[pd.DataFrame, Schema("", "", **frames.schema_of(Form).columns)]
    with allocates_less_than(2**25):
        frames.checked(table, form, "x.csv", "")


@pytest.mark.parametrize("name", FORMS)
def test_each_schema_is_whole(name, tmp_path):
    """It has a description of each column, and a file of one row is written and read."""
    schema = frames.schema_of(FORMS[name])
    assert schema.file and schema.row and set(schema.keys) <= set(schema.columns)
    assert all(column.what and len(column.what) < 90 for column in schema.columns.values())
    assert all("kind" in schema.columns for c in schema.columns.values() if c.empty not in (0, 1))
    table = filled(pd.DataFrame(index=[0]), FORMS[name])
    frames.write(tmp_path / "x.csv", table, FORMS[name])
    assert len(frames.read(tmp_path / "x.csv", FORMS[name])) == 1
