"""What `groundvec COMMAND` does, one file per command, which `groundvec/__main__.py` lists.

A command's docstring is its help, with examples. It offers `add_arguments(parser)` and
`main(arguments)`, and imports torch, and what imports it, only in `main`.
"""
