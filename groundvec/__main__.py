"""Sentences and pictures in one space of vectors, by models learned from captioned pictures.

Examples:
  groundvec encode sentences.txt -o vectors.npy
  groundvec similarity "A dog runs on the beach." "A puppy plays in the sand."
  groundvec search holiday/ "a dog on a beach" --backbone resnet50
  groundvec COMMAND --help
"""

import argparse
import logging

import groundvec
from groundvec import cli
from groundvec.commands import encode, export, info, search, similarity

COMMANDS = {
    "encode": encode,
    "similarity": similarity,
    "search": search,
    "info": info,
    "export": export,
}


def main() -> None:
    """Do what the command line says."""
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
    arguments = parser.parse_args()
    cli.execute(arguments.main, arguments, logging.WARNING)


if __name__ == "__main__":
    main()
