"""A copy of the project, and Snakemake in it, with jobs by the server of `forks`."""

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.support import ROOT, forks

SCENES = "{source: scenes, count: 40, backbone: efficientnet_lite0, models: [gru-8-max]}"
NOTHING = "Nothing to be done"


def copy_project(folder):
    names = ["Snakefile", "config.yaml", "config", "envs", "groundvec", "profiles", "report"]
    names += ["CITATION.cff", "reproduction", "resources", "rules", "scripts", "slurm", "tests"]
    for name in names:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def environment():
    outer = {name: value for name, value in os.environ.items() if name != "GROUNDVEC_MIRROR"}
    return {**outer, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@cache
def with_forked_jobs():
    env = environment()
    folder = Path(tempfile.mkdtemp(prefix="jobs"))
    atexit.register(shutil.rmtree, folder)
    return {**env, "PATH": f"{forks.jobs(folder)}:{env['PATH']}"}


# An address that no network leads to, so that nobody tries again.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy"), "http://255.255.255.255:9")


def snakemake(project, *arguments, fails=False, **environment):
    command = ["-m", "snakemake", "--cores", "2", *arguments]
    result = forks.run(*command, cwd=project, env={**with_forked_jobs(), **environment})
    output = result.stdout + result.stderr
    assert (result.returncode != 0) == fails, output[-5000:]
    return output
