"""The content of folders, and damage of files."""

import os


def tree(folder):
    """Return the content of every file below a folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def fill(folder, files):
    """Write files, each text or bytes, by their paths below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def flip(path, place=-200):
    """Change one byte of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


DAMAGE = {
    "half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "flipped": flip,
    "huge": lambda path: os.truncate(path, 2**40),  # of holes
}
