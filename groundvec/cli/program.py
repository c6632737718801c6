"""How every command-line program starts and ends: arguments, logs, errors and exit status."""

import argparse
import errno
import gc
import io
import logging
import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from groundvec.cli.arguments import STANDARD
from groundvec.runtime import files
from groundvec.runtime.errors import InputError, printable, shortened
from groundvec.runtime.jobs import Stopped

STANDARD_INPUT = Path("/dev/stdin")  # a link to the file that the shell redirects to `-`
NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # a full disk, a quota, a limit on file sizes
NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}
IN_MESSAGES = {*NO_SPACE, errno.EROFS, errno.ENOMEM}  # whose texts no bug has in its message
# Torch says "can't allocate memory", on a GPU "Tried to allocate"; other libraries vary it.
# Without memory, protobuf says "Failed to serialize proto".
OUT_OF_MEMORY = re.compile(
    "(can't|cannot|to) (allocate|serialize)|bad_alloc|start new thread", re.I
)
OTHER_TORCHVISION = (
    "this torchvision was built for another torch: install both from one place, with "
    "pip install --force-reinstall torch torchvision (docs/encoder.md)"
)
OURS = {"groundvec", "reproduction", "rules", "scripts"}


def run(main: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> None:
    """Parse the arguments of a script and `execute` it; its log is also written to `--log`."""
    parser.add_argument("--log", type=_log_file, help="also write the log to this file (.log)")
    parser.add_argument("--overwrite", action="store_true", help="replace existing results")
    execute(main, parser.parse_args(), logging.INFO)


def show(*lines: str) -> None:
    """Print lines to standard output, without control characters."""
    print("\n".join(map(printable, lines)))


class _Printable(logging.Formatter):
    """Format lines without control characters; a path, or the system's error, stays on its line."""

    def format(self, record: logging.LogRecord) -> str:
        if isinstance(record.args, tuple):
            record.args = tuple(
                printable(str(argument)) if isinstance(argument, Path | OSError) else argument
                for argument in record.args
            )
        return "\n".join(map(printable, super().format(record).split("\n")))


def execute(
    main: Callable[[argparse.Namespace], None], arguments: argparse.Namespace, level: int
) -> None:
    """Check arguments, call `main`, and end the program as its users expect.

    - An `InputError`, and an error of the system (space, memory, permission): one line, and exit
      status 1.
    - SIGTERM: its usual exit status, after half-written files are removed.
    - A closed output (`| head`) or Ctrl-C: their usual exit status, and no message.
    - Any other exception is a bug and keeps its traceback, also in the log file.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):  # possibly an ASCII terminal
        sys.stdout.reconfigure(errors="backslashreplace")
    # Importing torch makes 200,000 objects; searching them for garbage takes half a second.
    gc.set_threshold(100_000)
    _fill_standard_streams()
    # A warning is a line of its own, without the file and line that raised it.
    warnings.showwarning = lambda message, *_: logging.warning("%s", message)
    logging.raiseExceptions = False  # a log on a full disk must not hide the error itself
    formatter = _Printable("%(message)s")
    console = logging.StreamHandler()
    console.setFormatter(formatter)
    logging.basicConfig(level=level, handlers=[console])
    try:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        if arguments.log:
            files.check_regular(arguments.log)
            arguments.log.parent.mkdir(parents=True, exist_ok=True)
            handler = logging.FileHandler(
                arguments.log, mode="w", encoding="utf-8", errors="backslashreplace"
            )
            logging.getLogger().addHandler(handler)
            handler.setFormatter(formatter)
        _check_outputs(arguments)
        files.guard(_inputs(arguments), arguments.overwrite)
        for path in _written(arguments):  # before the work, and not after hours of it
            files.check_output(path)
        main(arguments)
        if sys.stdout:  # None if it was closed from the start
            sys.stdout.flush()
    except InputError as error:
        problem = str(error)
        if OUT_OF_MEMORY.search(problem):  # a library blamed the file
            problem = _not_enough_memory(problem)
        logging.error("error: %s", problem)
        sys.exit(1)
    except Stopped as stopped:
        logging.error("%s", stopped)
        sys.exit(128 + signal.SIGTERM)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:
        # Python flushes its buffer at exit, which would raise the same error: let it succeed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except Exception as error:
        _report(error)
        sys.exit(1)
    finally:
        # Ending without a last search for garbage is faster; triton warns of objects left over.
        if "triton" not in sys.modules:
            gc.freeze()


def _report(error: BaseException) -> None:
    """Log an error of the system or the installation as one line, and a bug with its traceback."""
    logger = logging.getLogger()  # `logging.error` would prefix the line if no log is set up yet
    problem = _system_error(error)
    if problem:
        logger.error("error: %s", printable(shortened(problem)))
    elif not isinstance(error, KeyboardInterrupt):
        logger.error("this should not have happened:", exc_info=error)


# Scripts import libraries before they call `run`, and some of them do not load.
sys.excepthook = lambda kind, error, trace: _report(error)


def _log_file(name: str) -> Path:
    """Check that a log file ends in .log, since it is emptied at the start."""
    path = Path(name)
    if path.suffix != ".log":
        raise argparse.ArgumentTypeError(f"{name} does not end in .log")
    return path


def _inputs(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield the paths among the arguments that are neither outputs nor logs."""
    for name, value in vars(arguments).items():
        if name.startswith("output") or name in ("work", "log"):
            continue
        values: Iterable[Any] = value if isinstance(value, list) else [value]
        if isinstance(value, dict):
            values = value.values()
        for path in values:
            if isinstance(path, Path):
                yield STANDARD_INPUT if path == STANDARD else path


def _written(arguments: argparse.Namespace) -> Iterator[str | Path]:
    """Yield the files that a program writes.

    The paths of `--output` have the ends in `writes`. Other outputs are files as they are named.
    """
    for name, value in vars(arguments).items():
        if name == "output" and value != STANDARD:
            for end in getattr(arguments, "writes", ()):
                yield f"{value}{end}"
        elif name.startswith("output_") and value:
            yield value


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Raise InputError if two outputs are one file: one of them would be lost."""
    seen: set[Path] = set()
    for name, value in vars(arguments).items():
        if (name.startswith("output") or name == "log") and isinstance(value, Path):
            if value.resolve() in seen and value != STANDARD:
                raise InputError(
                    f"{value} is two outputs of this command: name another for one of them"
                )
            seen.add(value.resolve())


def _fill_standard_streams() -> None:
    """Open the null device for closed standard streams.

    Otherwise the next file that is opened would get the descriptor of standard output or error, and
    with it everything that is printed. The system gives the lowest free descriptor: open the null
    device until 0 to 2 are taken.
    """
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Open until the program ends.
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115


def _system_error(error: BaseException) -> str:
    """Describe an error of the system or the installation, with the remedy; "" for a bug."""
    reason = " ".join(str(error).split()) or type(error).__name__
    code = _errno(error)
    if isinstance(error, ImportError):
        return _import_error(error, reason)
    is_memory_error = isinstance(error, MemoryError) or code == errno.ENOMEM
    if is_memory_error or OUT_OF_MEMORY.search(reason):
        return _not_enough_memory(reason)
    if isinstance(error, RuntimeError) and "torchvision" in reason:
        return OTHER_TORCHVISION
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        # Names of files may be any bytes on Linux, but the files that list them are UTF-8.
        around = error.object[max(0, error.start - 200) : error.end + 200]
        [name] = re.findall(r'[^\s",]*[\ud800-\udfff][^\s",]*', around)[:1]
        return f"{name} is not UTF-8: rename the file or folder"
    place = "the results"
    if isinstance(error, OSError):
        place = error.filename2 or error.filename or place
        reason = error.strerror or reason
    elif code is None:
        return ""
    if code in NO_SPACE:
        return (
            f"no space left on the disk while writing {place}: free some (or allow larger files) "
            "and start again; finished work is kept"
        )
    if code in NOT_ALLOWED:
        return f"{place}: {reason}; change its permissions, or name another place"
    return f"{place}: {reason}; correct that, or name another place"


def _errno(error: BaseException) -> int | None:
    """Return the number of a system's error, which libraries put into messages of their own."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    text = str(error)
    number = re.search(r"(?:os error|errno)\W{1,3}(\d+)", text, re.IGNORECASE)
    if number:
        return int(number[1])
    if re.search(r"\d+ requested and \d+ written", text):  # NumPy's error names no other reason
        return errno.ENOSPC
    return next((code for code in IN_MESSAGES if os.strerror(code) in text), None)


def _not_enough_memory(reason: str) -> str:
    return f"not enough memory ({reason}): free some, or use a smaller model or data set"


def _import_error(error: ImportError, reason: str) -> str:
    """Describe a library that is missing or does not load; "" for a module of this project."""
    # Some libraries raise an error of their own, without a name: the last frame is theirs.
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    library = (error.name or str(frame.f_globals.get("__name__"))).partition(".")[0]
    if library in OURS:
        return ""
    if isinstance(error, ModuleNotFoundError):
        return f'{library} is not installed: pip install "groundvec[train]"'
    if "torchvision" in reason:
        return OTHER_TORCHVISION
    return (
        f"{library} is installed but cannot be loaded ({reason}): allow more memory if it is "
        f"limited, else install it again (pip install --force-reinstall)"
    )
