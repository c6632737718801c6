"""Python commands in processes of their own, without the seconds each takes to import torch.

    forks.run("-m", "snakemake", "-n", cwd=project, env=environment)

is `python -m snakemake -n`, but forked off a process that has imported the large packages, and
nothing of groundvec: a command finds that in its PYTHONPATH, as ever. `jobs(folder)` does the same
for the programs that Snakemake starts.

What was imported is frozen first: else each process looks through it for garbage as it ends, which
takes two seconds and copies all the memory that it shares.
"""

import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

LONGEST = 3000  # seconds that a command may take
# What stands in a job's PATH for python: it hands itself over, and ends as the job does.
PYTHON = """\
#!{python} -IS
import json, os, socket, sys
if not sys.argv[1:] or "/scripts/" not in sys.argv[1]:
    os.execv("{python}", ["python", *sys.argv[1:]])
server = socket.socket(socket.AF_UNIX)
server.connect("{server}")
request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
server.sendall(request)
sys.exit(int(server.recv(16)))
"""


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


def jobs(folder):
    """Let `python .../scripts/...` be forked off too: gives what a PATH has to begin with."""
    python, server = folder / "bin" / "python", folder / "server"
    python.parent.mkdir()
    python.write_text(PYTHON.format(python=sys.executable, server=server))
    python.chmod(0o755)
    command = [sys.executable, "-P", __file__, str(server)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True)
    process.stdout.readline()  # it listens
    _servers.append(process)  # its stdin is open as long as this process lives
    return str(python.parent)


_servers = []


def _serve_jobs(path):
    """Fork for each program that comes in; return, in the child, what it is to do."""
    threading.Thread(target=lambda: os._exit(len(os.read(0, 1))), daemon=True).start()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that watch
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    print("ready", flush=True)
    while True:
        connection, _ = listening.accept()
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            size, streams, *_ = socket.recv_fds(connection, 8, 3)
            request = connection.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
            if not (process := os.fork()):
                return json.loads(request), streams
            _watch(process, connection)
        connection.close()


def _watch(process, connection):
    """Say what a program ended with; end it when the one that it stands for is no more."""
    ended = os.pidfd_open(process)
    if connection in select.select([ended, connection], [], [])[0]:
        os.kill(process, signal.SIGTERM)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        connection.sendall(str(status if status >= 0 else 128 - status).encode())
    finally:
        os._exit(0)


def _serve():
    """Fork for each command that comes in; return, in the child, what it is to do."""
    for line in sys.stdin:
        if not (process := os.fork()):
            return json.loads(line)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        print(status, flush=True)
    sys.exit()


def _become(command, cwd, env, streams):
    """Go on as `python COMMAND` does, with these file descriptors."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
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
    import matplotlib.figure  # noqa: F401
    import pandas  # noqa: F401
    import torch

    if sys.argv[1:]:
        import sacrebleu  # noqa: F401
        import sklearn.linear_model  # noqa: F401

        gc.freeze()
        import torch._dynamo  # noqa: F401  # Triton, in it, complains of what was frozen

        request, streams = _serve_jobs(sys.argv[1])
        _become(*request, streams)
    else:
        import snakemake.cli

        snakemake.cli.get_argument_parser()  # finds and imports its plugins
        gc.freeze()
        command, cwd, env, paths = _serve()
        flags = os.O_RDWR | os.O_CREAT
        _become(command, cwd, env, [os.open(path, flags) for path in [os.devnull, *paths]])
