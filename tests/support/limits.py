"""Bounds of the memory and the time that something takes."""

import re
import time
import tracemalloc
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def allocates_less_than(size):
    """Expect that Python allocates fewer bytes than this at once."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


def peak_memory():
    """Return the largest memory of this process so far, in KiB."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


@contextmanager
def grows_less_than(size):
    """Expect that this process never takes this number of KiB more than now."""
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of earlier tests
    before = peak_memory()
    yield
    assert peak_memory() - before < size


@contextmanager
def takes_less_than(seconds):
    """Expect that the processor is busy for a shorter time."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds
