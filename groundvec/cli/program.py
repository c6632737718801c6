"""Arguments, logs and errors of every command-line program."""

import argparse
import errno
import gc
import io
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from groundvec.runtime import files
from groundvec.runtime.errors import InputError, printable, shortened
from groundvec.runtime.jobs import Stopped

STANDARD_INPUT = Path("/dev/stdin")  # which leads to the file that the shell reads
# What numbers may be, by their options; where a configuration has them too, as its schema says.
BOUNDS = {
    **{name: {"$ref": f"#/$defs/dataset/properties/{name}"} for name in ("draw", "parts")},
    "folds": {"$ref": "#/$defs/retrieval/properties/folds"},
    "epochs": {"$ref": "#/$defs/training/properties/epochs"},
    "seed": {"$ref": "#/$defs/dataset/properties/seeds/items"},
    "n": {"$ref": "#/$defs/translation/properties/n_best/items"},
    "part": {"minimum": 0},
    "threads": {"minimum": 1, "maximum": 1024},
}
NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # a full disk, a quota, a limit on file sizes
NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def run(main: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> None:
    """Parse the arguments of a script and `execute` it, logging to the file `--log` too."""
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
                printable(str(each)) if isinstance(each, Path | OSError) else each
                for each in record.args
            )
        return "\n".join(map(printable, super().format(record).split("\n")))


def execute(
    main: Callable[[argparse.Namespace], None], arguments: argparse.Namespace, level: int
) -> None:
    """Check arguments, call `main`, and end the program as its users expect.

    An `InputError`, and what the system refuses (space, memory, permission), ends it with one line
    and exit status 1; SIGTERM with its usual exit status, after half-written files are removed; a
    closed output (`| head`) or Ctrl-C with nothing. Any other exception is a bug and keeps its
    traceback, also in the log file.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):  # which may be an ASCII terminal
        sys.stdout.reconfigure(errors="backslashreplace")
    # An import of torch makes 200,000 objects; to look for garbage in them takes half a second.
    gc.set_threshold(100_000)
    _fill_standard_streams()
    # A warning is a line of its own, without the place in the code.
    warnings.showwarning = lambda message, *_: logging.warning("%s", message)
    logging.raiseExceptions = False  # a log on a full disk must not hide what is said here
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
        _check_numbers(arguments)
        _check_outputs(arguments)
        files.guard(_inputs(arguments), arguments.overwrite)
        for end in getattr(arguments, "writes", ()):  # at once, and not after hours
            files.check_output(f"{arguments.output}{end}")
        main(arguments)
        if sys.stdout:  # None, where it was closed from the start
            sys.stdout.flush()
    except InputError as error:
        logging.error("error: %s", error)
        sys.exit(1)
    except Stopped as stopped:
        logging.error("%s", stopped)
        sys.exit(128 + signal.SIGTERM)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:
        # Python writes what is left when it ends, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except Exception as error:
        if problem := _refused(error):
            logging.error("error: %s", printable(shortened(problem)))
        else:
            logging.exception("this should not have happened:")
        sys.exit(1)
    finally:
        if "triton" not in sys.modules:  # which would complain that its objects are left over
            gc.freeze()


def _log_file(name: str) -> Path:
    path = Path(name)
    if path.suffix != ".log":  # it is emptied at the start
        raise argparse.ArgumentTypeError(f"{name} does not end in .log")
    return path


def _check_numbers(arguments: argparse.Namespace) -> None:
    given = {}
    for name in BOUNDS:
        value = getattr(arguments, name, None)
        numbers = value if isinstance(value, list) else [value]
        if numbers and all(isinstance(number, int) for number in numbers):
            given[name] = value
    if not given:  # most small programs have none, and need not import jsonschema
        return
    from groundvec.config.schema import find_mistake

    if wrong := find_mistake(given, {"properties": BOUNDS}):
        raise InputError(f"--{wrong}")


def _inputs(arguments: argparse.Namespace) -> Iterator[Path]:
    for name, value in vars(arguments).items():
        values: list[Any] = value if isinstance(value, list) else [value]
        if not (name.startswith("output") or name in ("work", "log")):
            paths = (path for path in values if isinstance(path, Path))
            yield from (STANDARD_INPUT if path == Path("-") else path for path in paths)


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Raise InputError if two outputs are one file, of which one would be lost."""
    seen: set[Path] = set()
    for name, value in vars(arguments).items():
        if (name.startswith("output") or name == "log") and isinstance(value, Path):
            if value.resolve() in seen and value != Path("-"):
                raise InputError(
                    f"{value} is two outputs of this command: name another for one of them"
                )
            seen.add(value.resolve())


def _fill_standard_streams() -> None:
    """Open nothing for closed standard streams; else the next file would get their output."""
    while (free := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(free)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - until the program ends


def _refused(error: Exception) -> str:
    """Name in one line the system's refusal and the remedy; nothing for a bug."""
    # Torch's is a RuntimeError: "can't allocate memory", or CUDA's "Tried to allocate".
    of_torch = isinstance(error, RuntimeError) and "allocate" in str(error)
    if isinstance(error, MemoryError) or of_torch:
        reason = str(error).partition("\n")[0]
        return f"not enough memory ({reason}): free some, or use a smaller model or data set"
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("groundvec"):
        return f'{error.name} is not installed: pip install "groundvec[train]"'
    if isinstance(error, RuntimeError | ImportError) and "torchvision" in str(error):
        return (
            "this torchvision was built for another torch: install both from one place, with "
            "pip install --force-reinstall torch torchvision (docs/encoder.md)"
        )
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        # Linux's names may be any bytes, but what is written about a file is UTF-8.
        around = error.object[max(0, error.start - 200) : error.end + 200]
        [name] = re.findall(r'[^\s",]*[\ud800-\udfff][^\s",]*', around)[:1]
        return f"{name} is not UTF-8: rename the file or folder"
    if not isinstance(error, OSError):
        return ""
    place = error.filename2 or error.filename or "the results"
    if error.errno in NO_SPACE:
        return (
            f"no space left on the disk while writing {place}: free some (or allow larger files) "
            "and start again; finished work is kept"
        )
    reason = error.strerror or " ".join(str(error).split())
    if error.errno in NOT_ALLOWED:
        return f"{place}: {reason}; change its permissions, or name another place"
    return f"{place}: {reason}; correct that, or name another place"
