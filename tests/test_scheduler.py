"""Snakemake's timers, which rules/scheduler.py switches off."""

import os
import re
import sys
from pathlib import Path

import forks

ROOT = Path(__file__).parent.parent
SNAKEFILE = """
import sys
import threading

sys.path.insert(0, {root!r})
from rules.scheduler import lift_default_limit

timers = []


class Timer(threading.Timer):
    def start(self):
        timers.append(self)
        super().start()


threading.Timer = Timer


rule all:
    input:
        expand("{{i}}.txt", i=range({jobs})),


rule nothing:
    output:
        "{{i}}.txt",
    shell:
        "touch {{output}}"


onstart:
    if {lift}:
        lift_default_limit(workflow.scheduler)


onsuccess:
    print(f"timers: {{len(timers)}}")
"""
JOBS = 6


def timers(folder, lift, *arguments):
    """How many timers a run of jobs that do nothing starts."""
    snakefile = SNAKEFILE.format(root=str(ROOT), jobs=JOBS, lift=lift)
    (folder / "Snakefile").write_text(snakefile)
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    result = forks.run("-m", "snakemake", "--cores", "1", *arguments, cwd=folder, env=env)
    assert result.returncode == 0, result.stderr
    return int(re.search(r"timers: (\d+)", result.stdout + result.stderr)[1])


def test_snakemake_starts_a_timer_for_every_job(tmp_path):
    """If it fails, Snakemake is fixed: delete rules/scheduler.py, its call and this file."""
    assert timers(tmp_path, lift=False) >= JOBS


def test_without_the_default_limit_there_are_no_timers(tmp_path):
    assert timers(tmp_path, lift=True) == 0


def test_a_limit_that_was_asked_for_is_kept(tmp_path):
    assert timers(tmp_path, True, "--max-jobs-per-timespan", "50/1s") >= JOBS
