"""Encode sentences and pictures in one vector space, by models learned from captioned pictures.

Examples:
  groundvec encode sentences.txt -o vectors.npy
  groundvec similarity "A dog runs on the beach." "A puppy plays in the sand."
  groundvec search holiday/ "a dog on a beach" -o dogs.html
  groundvec evaluate ratings flickr8k
  groundvec train my/captions.csv my/photos -o my-encoder
  groundvec COMMAND --help

Environment variables:
  XDG_CACHE_HOME    folder of the cache, where features and downloads are kept (default: ~/.cache)
  GROUNDVEC_MIRROR  a folder with the files that `evaluate` would download
  HF_ENDPOINT       the hub that models USER/NAME come from (default: https://huggingface.co)
"""

import argparse
import logging
import sys

try:
    import groundvec
    from groundvec.cli import program
    from groundvec.cli.commands import (
        encode,
        evaluate,
        export,
        info,
        search,
        similarity,
        train,
    )
except KeyboardInterrupt:  # `program.execute` handles it, once it is imported
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
    # Arguments that `program.execute` reads, for commands that have no such options.
    parser.set_defaults(log=None, overwrite=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        text = command.__doc__ or ""
        first_line = text.partition("\n")[0]
        subparser = commands.add_parser(
            name, help=first_line, description=text, formatter_class=form
        )
        command.add_arguments(subparser)
        subparser.set_defaults(main=command.main)
    # Commands show warnings only, and the progress of long work.
    for long_work in ("groundvec.runtime.progress", "groundvec.training.loop"):
        logging.getLogger(long_work).setLevel(logging.INFO)
    arguments = parser.parse_args(sys.argv[1:] or ["--help"])
    program.execute(arguments.main, arguments, logging.WARNING)


if __name__ == "__main__":
    main()
