"""A command of `groundvec` within the process of a test."""

import argparse

from groundvec.__main__ import COMMANDS


def run_here(name, *arguments):
    """Run a command; what it refuses is raised."""
    parser = argparse.ArgumentParser()
    COMMANDS[name].add_arguments(parser)
    COMMANDS[name].main(parser.parse_args([str(word) for word in arguments]))
