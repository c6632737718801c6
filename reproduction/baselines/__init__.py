"""Baselines of this study."""
