"""Python commands in processes of their own, without the seconds each takes to import torch.

    forks.run("-m", "snakemake", "-n", cwd=project, env=environment)

is `python -m snakemake -n`, but forked off a process that has imported the large packages, and
nothing of groundvec: a command finds that in its PYTHONPATH, as ever.
"""

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

LONGEST = 900  # seconds that a command may take


def run(*command, cwd, env):
    """What a command ended with: its status, and what it wrote."""
    server = _server()
    with tempfile.TemporaryDirectory() as folder:
        streams = [f"{folder}/stdout", f"{folder}/stderr"]
        request = [[str(word) for word in command], str(cwd), env, streams]
        print(json.dumps(request), file=server.stdin, flush=True)
        status = int(server.stdout.readline())
        written = [Path(stream).read_text() for stream in streams]
    return subprocess.CompletedProcess(command, status, *written)


@cache
def _server():
    # -P: no folder of the tests in its path. It ends when this process does, and its stdin with it.
    command = [sys.executable, "-P", __file__]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True)


def _serve():
    """Fork for each command that comes in; return, in the child, what it is to do."""
    for line in sys.stdin:
        if not (process := os.fork()):
            return json.loads(line)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        print(status, flush=True)
    sys.exit()


def _become(command, cwd, env, streams):
    """Go on as `python COMMAND` does."""
    for number, path in enumerate([os.devnull, *streams]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    signal.alarm(LONGEST)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    paths = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    if command[0] == "-m":
        sys.argv = command[1:]
        sys.path[:0] = [cwd, *paths]
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        sys.path[:0] = [str(Path(command[0]).parent), *paths]
        runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    import pandas  # noqa: F401
    import snakemake.cli
    import torch  # noqa: F401

    snakemake.cli.get_argument_parser()  # finds and imports its plugins
    _become(*_serve())
