"""A trained caption encoder in the forms that other programs read."""
