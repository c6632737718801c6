"""What every command-line program of the pipeline does alike: arguments, logs, errors."""

import argparse
import errno
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from grounded.errors import InputError
from grounded.jobs import Stopped


def run(main: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> None:
    """Parse the arguments and call `main`, logging to the terminal and to the file `--log`.

    An `InputError` or a full disk ends the program with one line and exit status 1, SIGTERM, where
    the work is kept, with one line and the exit status that shells have for it; any other exception
    is a bug and keeps its traceback, which goes to the log file as well.
    """
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--log", type=Path, help="also write the log to this file")
    arguments = parser.parse_args()
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if arguments.log:
        arguments.log.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(arguments.log, mode="w"))
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=handlers)
    try:
        main(arguments)
    except InputError as error:
        logging.error("error: %s", error)
        sys.exit(1)
    except Stopped as stopped:
        logging.error("%s", stopped)
        sys.exit(128 + signal.SIGTERM)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            logging.exception("this should not have happened:")
            sys.exit(1)
        logging.error(
            "error: no space left on the disk while writing %s: free some and start again; "
            "finished work is kept",
            error.filename or "the results",
        )
        sys.exit(1)
    except Exception:
        logging.exception("this should not have happened:")
        sys.exit(1)
