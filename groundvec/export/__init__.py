"""A trained caption encoder in the formats of other programs."""
