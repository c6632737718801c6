"""Sentences and pictures in one space of vectors, by models learned from captioned pictures.

Examples:
  groundvec encode sentences.txt -o vectors.npy
  groundvec similarity "A dog runs on the beach." "A puppy plays in the sand."
  groundvec search holiday/ "a dog on a beach" -o dogs.html
  groundvec evaluate ratings --model flickr8k
  groundvec train my/captions.csv my/photos -o my-encoder
  groundvec COMMAND --help
"""

import argparse
import logging
import sys

try:
    import groundvec
    from groundvec.cli import program as cli
    from groundvec.cli.commands import (
        common,
        encode,
        evaluate,
        export,
        info,
        search,
        similarity,
        train,
    )
    from groundvec.runtime.errors import InputError
except KeyboardInterrupt:  # as `cli.execute` ends what is interrupted later
    sys.exit(130)

COMMANDS = {
    "encode": encode,
    "similarity": similarity,
    "search": search,
    "info": info,
    "evaluate": evaluate,
    "export": export,
    "train": train,
}


def main() -> None:
    """Run the command that the command line names."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("groundvec", description=__doc__, formatter_class=form)
    parser.add_argument("--version", action="version", version=groundvec.__version__)
    parser.set_defaults(log=None, overwrite=False)  # of those that write nothing
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        text = command.__doc__ or ""
        first = text.partition("\n")[0]
        subparser = commands.add_parser(name, help=first, description=text, formatter_class=form)
        command.add_arguments(subparser)
        subparser.set_defaults(main=command.main)
    for long_work in ("groundvec.runtime.progress", "groundvec.training.loop"):
        logging.getLogger(long_work).setLevel(logging.INFO)  # it says how far it is
    cli.execute(run, parser.parse_args(), logging.WARNING)


def run(arguments: argparse.Namespace) -> None:
    """Run the command; InputError if it writes to standard output and that is closed."""
    if sys.stdout is None and getattr(arguments, "output", common.STANDARD) == common.STANDARD:
        raise InputError("standard output is closed: open it, or name a file with --output")
    arguments.main(arguments)


if __name__ == "__main__":
    main()
