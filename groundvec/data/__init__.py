"""Data sets: reading, checking and splitting captions, images and ratings."""
