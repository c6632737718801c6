"""Locks and SIGTERM, between processes as they happen."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest

from groundvec.runtime import jobs
from groundvec.runtime.errors import InputError
from tests.support import ROOT

HOLD = """
import sys
from pathlib import Path
from groundvec.runtime.jobs import locked
with locked(Path(sys.argv[1]), "cell x"):
    print("locked", flush=True)
    sys.stdin.read()
"""

WITHOUT_UNIX = """
import os, sys
import numpy  # which asks for them on Linux
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
del os.O_NONBLOCK, os.O_NOFOLLOW, os.sysconf, os.sync, os.sched_getaffinity
from groundvec import SentenceEncoder
print(SentenceEncoder("flickr8k-bag").encode("A dog.").shape)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds the lock of tmp_path until its input is closed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SLURM_JOB_ID": "17"}
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
    assert process.stdout.readline() == "locked\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_process_gets_the_lock_s_holder_and_the_remedy(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError) as caught, jobs.locked(tmp_path, "cell x"):
        pass
    message = str(caught.value)
    assert message == f"{jobs.running(tmp_path)}, and start again"
    assert message.startswith("cell x: SLURM job 17 (process ") and "\n" not in message
    assert str(holder.pid) in message
    assert "squeue --jobs 17" in message and "scancel 17" in message
    assert sorted(tmp_path.iterdir()) == before


def test_without_locks_work_continues_with_a_warning(tmp_path, monkeypatch, caplog):
    refuse = Mock(side_effect=OSError(errno.ENOLCK, "No locks available"))
    monkeypatch.setattr(fcntl, "flock", refuse)
    with jobs.locked(tmp_path, "cell x"):
        assert "has no locks" in caplog.text
        assert "if no process is at work" in jobs.running(tmp_path)


def test_another_user_s_lock_counts_as_held(tmp_path, monkeypatch):
    refuse = Mock(side_effect=PermissionError(errno.EACCES, "Permission denied"))
    assert jobs.running(tmp_path) == "" and not (tmp_path / "lock").exists()
    (tmp_path / "lock").touch()
    monkeypatch.setattr(os, "open", refuse)
    assert "another user's process may be at work" in jobs.running(tmp_path)


def test_a_lock_ends_with_its_holder(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert jobs.running(tmp_path) == ""
    with jobs.locked(tmp_path, "cell x"):
        pass


def test_a_job_waits_for_one_that_is_about_to_end(tmp_path, holder, caplog):
    caplog.set_level("INFO")
    threading.Timer(0.5, holder.stdin.close).start()
    with jobs.locked(tmp_path, "cell x"):
        assert holder.wait() == 0
    assert "waiting up to" in caplog.text and "SLURM job 17" in caplog.text


def test_a_lock_whose_folder_was_removed_is_not_taken_for_the_new_one(tmp_path, holder):
    shutil.rmtree(tmp_path)
    with jobs.locked(tmp_path, "cell y"):
        text = (tmp_path / "holder").read_text()
    assert text.startswith(f"cell y: process {os.getpid()} on ") and f"kill {os.getpid()}" in text


def test_sentences_are_encoded_without_what_windows_lacks():
    command = [sys.executable, "-c", WITHOUT_UNIX]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert result.stdout == "(1024,)\n", result.stderr


def test_sigterm_is_caught_in_the_main_thread_only():
    def is_told():
        with jobs.catch_sigterm() as told:
            return told.is_set()

    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(is_told).result()
