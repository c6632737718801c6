"""The schema of configurations and of models' descriptions, the parts, and command lines."""
