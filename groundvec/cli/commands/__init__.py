"""The commands of `groundvec`, one file per command; `groundvec/__main__.py` lists them.

A command's docstring is its help, with examples. Its module has `add_arguments(parser)` and
`main(arguments)`. Modules that import torch are imported in `main`, so that `--help` is fast.
"""
