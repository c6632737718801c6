"""Descriptions of models and settings: checked, and completed with defaults.

The modules, in the order of the checks:

- `schema`: schema.yaml with the options of all parts: keys, types, bounds and defaults;
- `description`: a model's description, and whether its parts fit each other;
- `parts`: the parts by their names, each with the YAML file of its options.

rules/experiment.py checks the configuration of a whole experiment.
"""
