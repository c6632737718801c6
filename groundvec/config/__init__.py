"""Configurations and descriptions of models: checked, and completed with defaults.

The modules, in the order of the checks:

- `reading`: YAML as plain values, and their form;
- `experiment`: the sections of a configuration, inheritance between data sets, and their fit;
- `schema`: schema.yaml with the options of all parts: keys, types, bounds and defaults;
- `description`: a model's description, and whether its parts fit each other;
- `parts`: the parts by their names, each with the YAML file of its options;
- `named_files`: whether the files that a configuration names exist.
"""
