"""Measure the overhead of the workflow: the start, the plan of the demo, and each job.

Nothing is trained or downloaded. *Plain* is Snakemake with a Snakefile of two rules. The *floor* is
the start of a Python process, or of a process that imports the main library of the job.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measure import Row, program, row

from groundvec.provenance import ROOT

# A killed run would leave a lock, and, if its job had already written a file, an incomplete output
# that stops the next run.
SNAKEMAKE = [sys.executable, "-m", "snakemake", "--cores", "1", "--nolock", "--rerun-incomplete"]
DRY_RUN = [*SNAKEMAKE, "-n"]
NOTHING = """
rule all:
    input: expand("{{i}}.txt", i=range({jobs}))
rule nothing:
    output: "{{i}}.txt"
    shell: "touch {{output}}"
"""
# Jobs import torch after `execute` has set the environment, so the benchmark does, too.
IMPORT_TORCH = """
from argparse import Namespace
from groundvec.cli.program import execute
def main(_):
    from groundvec.training import loop
execute(main, Namespace(log=None, overwrite=False), level=0)
"""


@dataclass
class Command:
    """A contestant that runs a command, and can kill it when its first job begins."""

    words: list[str]
    folder: Path
    units: float = 1
    until_first_job: bool = False

    def __call__(self) -> float:
        """Run it."""
        process = subprocess.Popen(
            self.words,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        text = ""
        killed = False
        for line in process.stdout or []:
            text += line
            if self.until_first_job and re.match("(local)?rule ", line):
                os.killpg(process.pid, signal.SIGKILL)
                killed = True
                break
        if process.wait() and not killed:
            sys.exit(f"{' '.join(self.words)}:\n{text}")
        return self.units


def rows(small: bool) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        project = Path(name, "project")
        plain = Path(name, "plain")
        copy_project(project)
        jobs = count_jobs(project)
        few = 3 if small else 50
        for count, folder in ((jobs, plain), (few, plain / "few")):
            folder.mkdir()
            (folder / "Snakefile").write_text(NOTHING.format(jobs=count))
        job = [*SNAKEMAKE, "results/demo/ratings/scenes.csv"]

        def run(code: str) -> Command:
            return Command([sys.executable, "-c", code], project)

        cases: dict[str, tuple[Command, Command | None, Command]] = {
            "start to first job": (
                Command(job, project, until_first_job=True),
                Command(SNAKEMAKE, plain, until_first_job=True),
                run("pass"),
            ),
            f"dry run of the demo, {jobs} jobs": (
                Command(DRY_RUN, project),
                Command(DRY_RUN, plain),
                run("pass"),
            ),
            f"a job in Snakemake, of {few} that do nothing": (
                Command([*SNAKEMAKE, "--forceall"], plain / "few", units=few),
                None,
                Command(["sh", "-c", "touch 0.txt"], plain),
            ),
            "a job with torch, which imports groundvec.training": (
                run(IMPORT_TORCH),
                None,
                run("import torch"),
            ),
        }
        rounds = 1 if small else 5
        return [row(what, "s", *commands, rounds) for what, commands in cases.items()]


def copy_project(folder: Path) -> None:
    """Link the project into a folder without results."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name not in {"data", "results", ".snakemake", ".git"}:
            (folder / path.name).symlink_to(path)


def count_jobs(folder: Path) -> int:
    """Count the jobs of the demo."""
    plan = subprocess.run(DRY_RUN, cwd=folder, capture_output=True, text=True)
    total = re.search(r"^total\s+(\d+)", plan.stdout + plan.stderr, re.M)
    return int(total[1]) if total else sys.exit(plan.stdout + plan.stderr)


if __name__ == "__main__":
    program(__doc__, rows)
