"""The SLURM profile where there is no SLURM; tests/slurm has it where there is one."""

import os
import re
import shutil
import sys
from pathlib import Path

import yaml

from tests.support import ROOT, forks
from tests.support.workflow import copy_project

PROFILE = ROOT / "slurm/config.v9+.yaml"
SITE = r"# SITE: "


def test_a_dry_run_needs_no_slurm(tmp_path):
    commands = tmp_path / "commands"
    commands.mkdir()
    for name in ("bash", "sh", "which", "git", "env"):
        if path := shutil.which(name):
            (commands / name).symlink_to(path)
    without_slurm = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{commands}"}
    project = copy_project(tmp_path)
    command = ("-m", "snakemake", "--profile", "slurm", "-n", "--configfile", "config/paper.yaml")
    result = forks.run(*command, cwd=project, env=without_slurm)
    assert result.returncode == 0, result.stderr[-3000:]
    assert "Using profiles slurm" in result.stderr
    trainings = re.findall(r"^rule train:\n(?:    .*\n)*", result.stdout, re.M)
    assert len(trainings) == 9
    assert all("gpu=1" in text and "mem_mb=8000" in text for text in trainings)


def test_every_rule_with_a_gpu_gets_one():
    rules = "".join(path.read_text() for path in PROFILE.parents[1].glob("rules/*.smk"))
    rule = r"^\s*(?:use rule \w+ as|rule) (\w+)(?: with)?:\n(?:(?!\s*(?:use )?rule\b).*\n)*?\s+gpu="
    with_gpu = re.findall(rf"{rule}GPU,", rules, re.M)
    some = re.findall(rf"{rule}lambda .* GPU \*", rules, re.M)
    profile = yaml.safe_load(PROFILE.read_text())["set-resources"]
    assert {"train", "translator"} < set(with_gpu)
    assert set(some) == {"baseline"}
    assert profile == {rule: {"gpu": int(rule in with_gpu)} for rule in [*with_gpu, *some]}


def test_the_lines_that_a_site_completes_are_settings():
    text = PROFILE.read_text()
    completed = yaml.safe_load(re.sub(SITE, "", text))
    assert set(yaml.safe_load(text)) < set(completed)
    assert {"slurm_partition=cpu", "slurm_account=my-project"} < set(completed["default-resources"])
    gpus = [rule for rule in completed["set-resources"].values() if rule["gpu"]]
    assert gpus and all(rule["slurm_partition"] == "gpu" and rule["gpu_model"] for rule in gpus)
