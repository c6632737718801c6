"""The workflow on a real SLURM, also when jobs die.

Run by .ci/run, or by hand, as root:

    tests/slurm/cluster start; pytest tests/slurm; tests/slurm/cluster stop

With GROUNDVEC_RELIABILITY=docs/reliability.md in the environment, it writes that table.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from tests.support.reliability import write_section
from tests.support.workflow import NOTHING, copy_project, snakemake


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def cluster_was_started():
    """Return whether this is the cluster of tests/slurm/cluster: no other one is disturbed."""
    configuration = Path("/etc/slurm/slurm.conf")
    return configuration.exists() and "ClusterName=groundvec\n" in configuration.read_text()


# A cluster that was started and does not run fails the tests.
pytestmark = pytest.mark.skipif(
    not cluster_was_started(), reason="there is no SLURM: tests/slurm/cluster start, as root"
)


def wait_for(condition):
    end = time.monotonic() + 900
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < end, f"not within 900 s: {condition}"
        time.sleep(0.1)


class Project:
    """A copy of the project that runs the workflow on one configuration."""

    def __init__(self, folder, configuration, *targets):
        self.folder = folder
        self.started = 0
        self.command = [*targets, "--profile", "slurm", "--configfile", configuration]

    def start(self, *arguments):
        self.started += 1
        self.screen = self.folder / f"screen{self.started}.txt"
        command = [sys.executable, "-m", "snakemake", *self.command, *arguments]
        with self.screen.open("w") as file:
            self.driver = subprocess.Popen(command, cwd=self.folder, stdout=file, stderr=file)
        return self.driver

    def finish(self, driver, fails=False):
        driver.wait(1800)
        text = self.screen.read_text()
        assert (driver.returncode != 0) == fails, text[-5000:]
        return text

    def run(self, *arguments, fails=False):
        return self.finish(self.start(*arguments), fails)

    def jobs(self, rule="train"):
        """List the id and state of each job that this project sent for a rule."""
        lines = output_of("squeue", "-ht", "all", "-o", "%Z|%k|%i|%T").splitlines()
        rows = [line.split("|") for line in lines]
        return [row[2:] for row in rows if row[0] == str(self.folder) and f"rule_{rule}_" in row[1]]

    def job(self):
        """The id of the one that is running."""
        return wait_for(lambda: [job for job, state in self.jobs() if state == "RUNNING"])[0]

    def process(self, epoch, other_than=None):
        """The id of the training's process, once it has finished an epoch of its own.

        It is held still from then on, lest it be done before it is disturbed. SLURM lets go of a
        process (SIGCONT) that it tells to stop.
        """

        def working():
            assert self.driver.poll() is None, self.screen.read_text()
            for holder in self.folder.glob("results/checkpoints/*/holder"):
                found = re.search(r"process (\d+)", holder.read_text())
                log = self.folder / LOG
                if found and int(found[1]) != other_than and log.exists():
                    done = re.findall(r": epoch (\d+)/", log.read_text())
                    if done and int(done[-1]) >= epoch:
                        return int(found[1])

        process = wait_for(working)
        os.kill(process, signal.SIGSTOP)
        return process


PREPARED = [
    "results/features/small-scenes/efficientnet_lite0.h5",
    "results/text/small-scenes/characters.en.json",
]
MODEL = "results/faults/models/small-scenes/gru-16-attention/seed1"
LOG = "results/faults/logs/train/small-scenes/gru-16-attention/seed1.log"


def complete_profile(folder):
    """Complete the lines of a site: here, the partitions, without accounts."""
    profile = folder / "slurm/config.v9+.yaml"
    site = r"# SITE: (?=(- )?slurm_partition|slurm-no-account|slurm-status|slurm-init)"
    profile.write_text(re.sub(site, "", profile.read_text()).replace("checks: 5", "checks: 1"))


@pytest.fixture(scope="module")
def built(faults, tmp_path_factory):
    """Everything of small.yaml, built while the faults happen elsewhere."""
    folder = copy_project(tmp_path_factory.mktemp("small"))
    complete_profile(folder)
    project = Project(folder, "tests/slurm/small.yaml")
    project.run()
    return project


def test_everything_is_built_by_jobs_of_slurm(built):
    assert (built.folder / "results/small/merkx_frank_2019/tables/table2.md").exists()
    assert (built.folder / "results/small/merkx_frank_2019/figures/figure4.pdf").exists()
    jobs = {rule: {job for job, _ in built.jobs(rule)} for rule in ("train", "retrieval")}
    assert len(jobs["train"]) == len(jobs["retrieval"]) == 2
    models = [json.loads(p.read_text()) for p in built.folder.rglob("small/models/**/model.json")]
    assert {model["provenance"]["slurm_job"] for model in models} == jobs["train"]
    scores = pd.concat(map(pd.read_csv, built.folder.rglob("small/retrieval/**/seed?.csv")))
    assert set(scores["slurm_job"].astype(str)) == jobs["retrieval"]
    assert len(built.jobs("extract_features")) == 2
    assert NOTHING in built.run()


def test_trainings_run_side_by_side_with_a_gpu_each(built):
    times = []
    for job, _ in built.jobs():
        shown = dict(re.findall(r"(\w+)=(\S+)", output_of("scontrol", "show", "job", job)))
        assert shown["Partition"] == "gpu" and shown["TresPerJob"] == "gres:gpu:1"
        times.append((shown["StartTime"], shown["EndTime"]))
    assert max(start for start, _ in times) < min(end for _, end in times)


def test_quick_rules_cost_no_job(built):
    lines = output_of("squeue", "-ht", "all", "-o", "%Z|%k").splitlines()
    sent = {
        re.search(r"rule_(\w+)_wildcards", line)[1] for line in lines if str(built.folder) in line
    }
    assert sent == {
        *("extract_features", "train", "retrieval"),
        *("rate", "baseline", "gallery", "try_it"),
    }


# Faults. Each happens in a copy of the project of its own, all at the same time. Each function
# disturbs the training, has it finished, and returns how many jobs of SLURM that must have taken.


def nothing(project):
    project.run()
    return 1


def cancelled(project):
    driver = project.start()
    project.process(2)
    output_of("scancel", project.job())
    project.finish(driver)
    assert "told to stop, after epoch" in slurm_logs(project)
    return 2


def time_limit(project):
    """The limit passes twice; it is cut to a minute once the training is held still."""
    limit = ("--set-resources", "train:runtime=20", "--retries", "0")
    process = None
    for epoch in (1, 3):
        driver = project.start(*limit)
        process = project.process(epoch, other_than=process)
        output_of("scontrol", "update", f"jobid={project.job()}", "timelimit=1")
        assert "DUE TO TIME LIMIT" in project.finish(driver, fails=True)
    project.run(*limit)
    assert [state for _, state in project.jobs()].count("TIMEOUT") == 2
    return 3


def killed(project):
    driver = project.start()
    os.kill(project.process(2), signal.SIGKILL)
    project.finish(driver)
    return 2


def driver_killed(project):
    driver = project.start()
    process = project.process(1)
    driver.kill()
    driver.wait()
    first = project.job()
    assert "--unlock" in project.run(fails=True)
    project.run("--unlock")
    driver = project.start()
    wait_for(lambda: f"SLURM job {first} " in project.screen.read_text())
    os.kill(process, signal.SIGCONT)
    assert f"scancel {first}" in project.finish(driver)
    assert dict(project.jobs())[first] == "COMPLETED"
    return 2


def node_drained(project):
    node = output_of("hostname", "-s").strip()
    driver = project.start()
    project.process(2)
    job = project.job()
    output_of("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    try:
        output_of("scontrol", "requeue", job)
        wait_for(lambda: "PENDING" in dict(project.jobs())[job])
        time.sleep(5)
        assert "PENDING" in dict(project.jobs())[job]
    finally:
        output_of("scontrol", "update", f"nodename={node}", "state=resume")
    project.finish(driver)
    assert "Restarts=1 " in output_of("scontrol", "show", "job", job)
    return 1


def memory_exhausted(project):
    project.run("--set-resources", "train:mem_mb=400*attempt*attempt")
    assert "exceeded memory limit" in slurm_logs(project)
    return 2


def checkpoint_truncated(project):
    driver = project.start("--retries", "0")
    os.kill(project.process(3), signal.SIGKILL)
    project.finish(driver, fails=True)
    (checkpoint,) = project.folder.glob("results/checkpoints/*/checkpoint.pt")
    os.truncate(checkpoint, checkpoint.stat().st_size // 2)
    project.run()
    assert "checkpoint.pt cannot be read" in (project.folder / LOG).read_text()
    return 2


FAULTS = {
    nothing: "none",
    cancelled: "`scancel` of the training",
    time_limit: "the time limit, twice",
    killed: "SIGKILL of the training's process",
    driver_killed: "SIGKILL of the driver; `--unlock` and again while its job runs",
    node_drained: "the node drained, the job put back in the queue, the node resumed",
    memory_exhausted: "memory exhausted in the first attempt",
    checkpoint_truncated: "SIGKILL, and the latest checkpoint truncated",
}


def slurm_logs(project):
    return "".join(p.read_text() for p in project.folder.glob("results/slurm/rule_train/**/*.log"))


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    """Start one project per fault, as futures: each may fail by itself.

    Data and features, which precede the fault, are made once and without SLURM.
    """
    prepared = copy_project(tmp_path_factory.mktemp("prepared"))
    snakemake(prepared, *PREPARED, "--configfile", "tests/slurm/faults.yaml")
    complete_profile(prepared)

    def disturb(fault):
        folder = tmp_path_factory.getbasetemp() / fault.__name__
        shutil.copytree(prepared, folder)
        project = Project(folder, "tests/slurm/faults.yaml", f"{MODEL}/model.json")
        project.jobs_expected = fault(project)
        project.again = project.run()
        return project

    with ThreadPoolExecutor(len(FAULTS)) as pool:
        yield {fault: pool.submit(disturb, fault) for fault in FAULTS}


@pytest.fixture(scope="module")
def table():
    rows = []
    yield rows
    if len(rows) == len(FAULTS):
        write_section("When jobs die", RELIABILITY.format(rows="\n".join(rows)))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_after_a_fault_the_weights_equal_an_undisturbed_run_s(fault, faults, table):
    whole = faults[nothing].result()
    project = faults[fault].result()
    jobs = project.jobs()
    assert len(jobs) == project.jobs_expected

    snapshots = sorted(path.name for path in (whole.folder / MODEL / "snapshots").iterdir())
    assert "epoch-024.safetensors" in snapshots
    for name in snapshots:
        path = f"{MODEL}/snapshots/{name}"
        assert (project.folder / path).read_bytes() == (whole.folder / path).read_bytes(), name
    losses = [pd.read_csv(p.folder / MODEL / "history.csv")["loss"] for p in (whole, project)]
    pd.testing.assert_series_equal(*losses)

    # No finished work was repeated: neither the files from before, nor the first epochs.
    screens = "".join(path.read_text() for path in project.folder.glob("screen*.txt"))
    assert set(re.findall(r"^(?:local)?rule (\w+):", screens, re.M)) == {"train"}
    log = (project.folder / LOG).read_text()
    resumed = re.search(r"(?:resumes|finished before,) after epoch (\d+)", log)
    assert bool(resumed) == (fault not in (nothing, memory_exhausted))  # no memory to begin with
    assert resumed is None or f"epoch {resumed[1]}/" not in log

    assert NOTHING in project.again
    assert not list(project.folder.glob("results/checkpoints/*/checkpoint*"))
    states = ", ".join(state.lower() for _, state in sorted(jobs, key=lambda job: int(job[0])))
    after = f"after epoch {resumed[1]} of 24" if resumed else "-"
    table.append(f"| {FAULTS[fault]} | {states} | {after} | the same, bit for bit |")


RELIABILITY = """\
Each fault hits one small training on a SLURM cluster of one node (`tests/slurm/cluster`), started
by `snakemake --profile slurm`. If neither SLURM nor Snakemake (the driver) resumed the job, the
same command was run again. No finished work was repeated, and a final run of the command had
nothing to do. `tests/slurm/test_slurm.py` writes this table.

| fault | SLURM's jobs | the last one resumed | weights, compared with an undisturbed run |
|---|---|---|---|
{rows}
"""
