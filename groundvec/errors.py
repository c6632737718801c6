"""The one error that users are meant to see."""


class InputError(ValueError):
    """Bad input: one line that names the file or the key and says what to do about it."""
