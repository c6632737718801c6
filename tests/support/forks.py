"""Python commands in processes of their own, without the seconds each takes to import torch.

    forks.run("-m", "snakemake", "-n", cwd=project, env=environment)

is `python -m snakemake -n`, but forked off a process that has imported the large packages, and
nothing of groundvec: a command finds that in its PYTHONPATH, as ever. `jobs(folder)` does the same
for the programs that Snakemake starts.

Most of the memory of such a process is shared with the one that it was forked off. To write into
it copies it, which took more time than all else that a small program does. So imported
objects are frozen, or the garbage collector would write into them; and a process ends without
tidying up.
"""

import atexit
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
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

LARGE = ("matplotlib.figure", "pandas", "sacrebleu", "sklearn.linear_model", "torch._dynamo")
LONGEST = 3000  # seconds that a command may take
# A job's PATH has this in place of python: it hands its command over, and exits with its status.
PYTHON = """\
#!{python} -IS
import json, os, socket, sys
if "/scripts/" not in "".join(sys.argv[1:2]) and sys.argv[1:3] != ["-m", "snakemake"]:
    os.execv("{python}", ["python", *sys.argv[1:]])
server = socket.socket(socket.AF_UNIX)
server.connect("{server}")
request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
server.sendall(request)
status = int(server.recv(16))
sys.exit(status if status >= 0 else 128 - status)
"""


def run(*command, cwd, env):
    """Run `python COMMAND`; return its status and its output."""
    request = json.dumps([[str(word) for word in command], str(cwd), dict(env)]).encode()
    with (
        socket.socket(socket.AF_UNIX) as server,
        Path(os.devnull).open() as nothing,
        tempfile.TemporaryFile("w+") as stdout,
        tempfile.TemporaryFile("w+") as stderr,
    ):
        server.connect(_server())
        streams = [file.fileno() for file in (nothing, stdout, stderr)]
        socket.send_fds(server, [len(request).to_bytes(8, "big")], streams)
        server.sendall(request)
        status = int(server.recv(16))
        stdout.seek(0), stderr.seek(0)
        return subprocess.CompletedProcess(command, status, stdout.read(), stderr.read())


def jobs(folder):
    """Let `python .../scripts/...` be forked off too; return the first folder of its PATH."""
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text(PYTHON.format(python=sys.executable, server=_server()))
    python.chmod(0o755)
    return str(python.parent)


@cache
def _server():
    """Start the server and return its socket. It ends with this process, which holds its stdin."""
    folder = tempfile.TemporaryDirectory(prefix="forks")
    path = f"{folder.name}/server"
    # -P: no folder of the tests in its path.
    command = [sys.executable, "-P", __file__, path]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True)
    process.stdout.readline()  # it listens
    _kept.extend([folder, process])  # as long as this process lives
    return path


_kept = []


def _serve(path):
    """Fork for each request; return, in the child, the request and its streams."""
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
            process = os.fork()
            if not process:
                return json.loads(request), streams
            _watch(process, connection)
        connection.close()


def _watch(process, connection):
    """Send the status of a program; end it if the process that it stands for is gone."""
    ended = os.pidfd_open(process)
    if connection in select.select([ended, connection], [], [])[0]:
        os.kill(process, signal.SIGTERM)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        connection.sendall(str(status).encode())
    finally:
        os._exit(0)


def _become(command, cwd, env, streams):
    """Become `python COMMAND`, with these file descriptors."""
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


def _end(error):
    """End as Python does after this exception, or none, but leave the memory to the system."""
    status = 0
    if isinstance(error, SystemExit):
        status = error.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    elif error:
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    threading._shutdown()  # waits for the threads that are no daemons
    atexit._run_exitfuncs()
    sys.stdout.flush(), sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    for name in LARGE:
        with suppress(ModuleNotFoundError):  # the tests of the library alone do without
            import_module(name)
    with suppress(ModuleNotFoundError):
        import snakemake.cli

        snakemake.cli.get_argument_parser()  # finds and imports its plugins
    gc.freeze()
    request, streams = _serve(sys.argv[1])
    error = None
    try:
        _become(*request, streams)
    except BaseException as caught:
        error = caught
    _end(error)
