"""The commands of `groundvec`, one file per command; `groundvec/__main__.py` lists them.

A command's docstring is its help, with examples. It offers `add_arguments(parser)` and
`main(arguments)`, and imports torch, and what imports it, only in `main`.
"""
