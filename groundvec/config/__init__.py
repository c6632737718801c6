"""Configurations and models' descriptions: where they are judged and completed with defaults.

In the order in which a configuration passes through them:

- `reading`: YAML as plain values, and their form;
- `experiment`: the sections of a configuration, what a data set inherits, and what has to fit;
- `schema`: schema.yaml with the options of all parts: keys, types, bounds and defaults;
- `description`: a model's description, and whether its parts fit each other;
- `parts`: the parts by their names, each with the YAML file of its options;
- `named_files`: whether the files that a configuration names exist.
"""
