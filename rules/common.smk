"""What several rules need. What the configuration means for them is in plan.py."""

import os
import re
import shutil
import time
from pathlib import Path

from groundvec import sources
from reproduction import papers
from groundvec.config import parts
from groundvec.config.schema import settings_of
from groundvec.runtime.jobs import running
from groundvec.provenance import code_hash, digest

ENVIRONMENT = "../envs/groundvec.yaml"

# For the rules: where the scripts are. For the scripts: the mirror, and where the library is, before
# what the user's own path has. With conda Snakemake unsets that path, before this prefix.
os.environ.update(
    GROUNDVEC=HOME,
    GROUNDVEC_MIRROR=MIRROR,
    PYTHONPATH=os.pathsep.join([HOME, *filter(None, [os.environ.get("PYTHONPATH")])]),
)
shell.prefix('set -euo pipefail; export PYTHONPATH="${{PYTHONPATH:-$GROUNDVEC}}"; ')

# A rule that can use a GPU asks for one where there is one. On a cluster the profile asks.
GPU = int(shutil.which("nvidia-smi") is not None)


wildcard_constraints:
    dataset="|".join(DATASETS),
    model=any_of(
        sorted(
            {
                re.escape(model)
                for data in DATASETS.values()
                for model in data["models"]
            }
        )
    ),
    seed=r"\d+",
    language="[a-z+]+",  # of a shared text, several: en+de
    baseline=any_of(plan.ratings.get("baselines", [])),


# What a job that loads a model reads of it, the file of its folder first.
TRAINED = [f"{MODEL}/{name}" for name in ("model.json", "snapshots", "ensemble.json")]


def own(name):
    """The path of a file of this project, from the current folder."""
    return os.path.relpath(os.path.join(HOME, name))


items = Items(plan, own)


def code(*sources):
    """A function for a rule's params: the hash of source files, for which only jobs have to wait."""
    return lambda wildcards: code_hash(*sources)


def baseline_code(script):
    """A function for a rule's params: the hash of a script and of the baseline that it runs."""
    return lambda wildcards: code_hash(
        script,
        parts.file(
            "baselines", plan.ratings["baselines"][wildcards.baseline]["encoder"]
        ),
    )


# Why jobs have --overwrite: what is there is of a job that outlived its driver, and is the same.

# Resources of a job; one that is tried again gets more.


def gigabytes(count):
    """Memory, in MB."""
    return lambda wildcards, attempt: 1000 * count * attempt


def hours(count):
    """Time, in minutes: a day at most, because many clusters refuse more."""
    return lambda wildcards, attempt: 60 * min(count * attempt, 24)


# Of what goes on where it stopped, so that a further attempt needs no more time.
RESUMED = 8 * 60


def threads_by_size(wildcards):
    """One for each model, but four for the largest, which one would keep for hours."""
    return 4 if parts.vector_size(plan.description(wildcards)) >= 4096 else 1


CHECKPOINTS = Path("results/checkpoints")
STARTED = time.time()


def say_what_is_running():
    """Trainings and extractions that outlived the driver that started them."""
    for lock in sorted(CHECKPOINTS.rglob("lock")):
        if holder := running(lock.parent):
            print(f"From an earlier start: {holder}.")


def say_why_jobs_failed():
    """What SLURM wrote about jobs that failed in this run; without accounting it tells nobody else."""
    logs = Path("results/slurm").rglob("*.log")
    for log in sorted(path for path in logs if path.stat().st_mtime > STARTED):
        reason = re.search(
            r"error: .*(memory|TIME LIMIT|CANCELLED|PREEMPT|Killed).*",
            log.read_text(errors="replace"),
        )
        if reason:
            print(f"{log}: {reason[0]}")
