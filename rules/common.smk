"""Parameters, resources and messages that several rules use. Files are named in plan.py."""

import os
import re
import shutil
import time
from pathlib import Path

from reproduction import papers, sources
from groundvec.config import parts
from rules.plan import stage_settings
from groundvec.runtime.jobs import running
from groundvec.provenance import code_hash, digest

ENVIRONMENT = f"{HOME}/envs/groundvec.yaml"

# GROUNDVEC, where the scripts are, is for the rules' command lines; GROUNDVEC_MIRROR is for the scripts.
# PYTHONPATH lets them import the library, and not another version from the user's own path. With conda,
# Snakemake unsets PYTHONPATH; the prefix sets it again.
# `update`, as Snakemake's linter takes an assignment for a variable that users have to set.
paths = [HOME]
if os.environ.get("PYTHONPATH"):
    paths.append(os.environ.get("PYTHONPATH"))
os.environ.update(
    GROUNDVEC=HOME, GROUNDVEC_MIRROR=MIRROR, PYTHONPATH=os.pathsep.join(paths)
)
shell.prefix('set -euo pipefail; export PYTHONPATH="${{PYTHONPATH:-$GROUNDVEC}}"; ')

# A rule that can use a GPU requests one if this machine has one. On a cluster, the profile does.
GPU = int(shutil.which("nvidia-smi") is not None)

MODEL_NAMES = {model for data in DATASETS.values() for model in data["models"]}


wildcard_constraints:
    dataset="|".join(DATASETS),
    model=any_of([re.escape(model) for model in sorted(MODEL_NAMES)]),
    seed=r"\d+",
    language="[a-z+]+",  # several for a shared text: en+de
    baseline=any_of(plan.ratings.get("baselines", [])),


# The inputs of a job that loads a model. The first one is in its folder (`params: folder`).
TRAINED = [f"{MODEL}/{name}" for name in ("model.json", "snapshots", "ensemble.json")]


def project_file(name):
    """Return the path of a file of this project, from the current folder."""
    return os.path.relpath(os.path.join(HOME, name))


def code(*files):
    """Return a function for a rule's params: the hash of source files, computed for jobs alone."""
    return lambda wildcards: code_hash(*files)


# Jobs have --overwrite because a job can outlive Snakemake; the output that it leaves is identical.

# Resources of a job; one that is tried again gets more.


def gigabytes(count):
    """Return a function for the memory of a job, in MB."""
    return lambda wildcards, attempt: 1000 * count * attempt


def hours(count):
    """Return a function for the time of a job, in minutes: many clusters refuse more than a day."""
    return lambda wildcards, attempt: 60 * min(count * attempt, 24)


# The time of a job that resumes where it stopped, in minutes: a further attempt needs no more.
RESUMED = 8 * 60


LARGE = 4096  # columns of a model's vectors


def on_gpu(encoder):
    """Return whether a baseline's encoder can use a GPU."""
    return parts.options_schema("baselines", encoder).get("gpu", False)


def threads_by_size(wildcards):
    """Return one thread per model, but four for the largest, which would take hours with one."""
    return 4 if parts.vector_size(plan.description(wildcards)) >= LARGE else 1


CHECKPOINTS = Path("results/checkpoints")
STARTED = time.time()


def print_running_jobs():
    """Print the trainings and extractions that outlived the Snakemake that started them."""
    for lock in sorted(CHECKPOINTS.rglob("lock")):
        holder = running(lock.parent)
        if holder:
            print(f"From an earlier start: {holder}.")


def print_slurm_errors():
    """Print SLURM's errors in the logs of this run: without accounting they are nowhere else."""
    logs = Path("results/slurm").rglob("*.log")
    for log in sorted(path for path in logs if path.stat().st_mtime > STARTED):
        reason = re.search(
            r"error: .*(memory|TIME LIMIT|CANCELLED|PREEMPT|Killed).*",
            log.read_text(errors="replace"),
        )
        if reason:
            print(f"{log}: {reason[0]}")
