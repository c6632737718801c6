"""Tuning of image networks together with trained text encoders."""
