import logging
import re
import sys

import pytest

from groundvec.runtime.progress import SECONDS_BETWEEN_LINES, Progress


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO)
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture
def sleep(monkeypatch):
    """Return a function that lets seconds pass for a bar, at once."""
    now = [0.0]
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])

    def seconds_pass(seconds):
        now[0] += seconds

    return seconds_pass


def test_long_work_without_a_terminal_logs_its_progress(lines, sleep, capsys):
    assert not sys.stderr.isatty()
    for _ in Progress(range(20), desc="drawing", unit="images"):
        sleep(10)
    found = lines()
    assert 3 <= len(found) <= 200 / SECONDS_BETWEEN_LINES
    assert found[0].startswith("drawing: ") and " of 20 images, " in found[0]
    assert all("20 of 20" not in line for line in found)  # the caller's next line says that
    assert capsys.readouterr().err == ""


def test_work_of_unknown_length_has_no_share_of_it(lines, sleep):
    with Progress(desc="download", unit="B") as bar:
        for _ in range(10):
            sleep(10)
            bar.update()
    assert lines() and all(re.fullmatch(r"download: \d+ B", line) for line in lines())


def test_short_work_and_hidden_progress_write_nothing(lines, sleep):
    for _ in Progress(range(20), desc="drawing"):
        sleep(1)
    with Progress(total=20, desc="hidden", disable=True) as bar:
        for _ in range(20):
            sleep(10)
            bar.update()
    assert lines() == []


@pytest.mark.parametrize("notebook", [False, True])
def test_a_terminal_and_a_notebook_get_a_bar(lines, capsys, monkeypatch, notebook):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: not notebook)
    if notebook:
        monkeypatch.setitem(sys.modules, "ipykernel", sys)
    for _ in Progress(range(3), desc="drawing", mininterval=0):
        pass
    assert "drawing: 100%" in capsys.readouterr().err and lines() == []
