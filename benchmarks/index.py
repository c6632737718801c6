"""Measure the time of a later search in a folder, by the command `groundvec search`.

The folder has 10,000 files with random features: a later search reads the index, not the images.
The floor is a process that lists the files with their sizes and times.
"""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
from measure import Row, program, row, work

from groundvec import ImageEncoder, Index
from groundvec.runtime.errors import InputError

FILES = 10_000


def rows(small: bool) -> list[Row]:
    count = 20 if small else FILES
    with tempfile.TemporaryDirectory() as name, patch.dict(os.environ, XDG_CACHE_HOME=name):
        photos = Path(name, "photos")
        photos.mkdir()
        for number in range(count):
            # Different contents, because vectors are kept by the files' checksums.
            (photos / f"{number}.jpg").write_text(str(number))
        # Build the index once, without computing features of 10,000 images.
        with patch.object(ImageEncoder, "features", drawn):
            Index(photos)
        run = partial(subprocess.run, stdout=subprocess.DEVNULL, check=True)
        command = [sys.executable, "-m", "groundvec", "search", str(photos), "a dog", "-n", "3"]
        listing = "import os, sys; [entry.stat() for entry in os.scandir(sys.argv[1])]"
        floor = work(1, run, [sys.executable, "-c", listing, str(photos)])
        ours = work(1, run, command)
        return [row(f"a later search in {count:,} files", "s a search", ours, None, floor)]


def drawn(
    encoder: ImageEncoder, paths: list[Path], sums: list[str]
) -> tuple[np.ndarray, dict[int, InputError]]:
    """Return random features; it replaces `ImageEncoder.features`."""
    shape = (len(paths), encoder.models[0].width)
    return np.random.default_rng(0).standard_normal(shape, np.float32), {}


if __name__ == "__main__":
    program(__doc__, rows)
