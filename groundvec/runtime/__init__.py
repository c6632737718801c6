"""Modules that only affect how a stage runs, not its results; no hash of code includes them."""
