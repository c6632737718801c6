"""Functions that the benchmarks share: time contestants, read the memory, write the result.

Each benchmark compares up to three contestants that do the same work: *ours*; *plain*, the authors'
method in a few lines; and the *floor*, a lower bound for any program of this kind.
"""

import argparse
import datetime
import importlib.metadata
import os
import platform
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import isnan
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from groundvec.provenance import ROOT, commit, machine
from groundvec.runtime.files import write_json

RESULTS = ROOT / "benchmarks" / "results"
PACKAGES = ("torch", "torchvision", "numpy", "snakemake", "onnxruntime", "sentence-transformers")
Contestant = Callable[[], float]  # does the work, and returns how many units of it
Row = dict[str, Any]


def work(units: float, function: Callable[..., Any], *arguments: Any, times: int = 1) -> Contestant:
    """Make a contestant of a function that does so many units of work, called so many times."""

    def run() -> float:
        for _ in range(times):
            function(*arguments)
        return times * units

    return run


def row(
    what: str,
    unit: str,
    ours: Contestant,
    plain: Contestant | None = None,
    floor: Contestant | None = None,
    rounds: int = 3,
    clock: Callable[[], float] | None = None,
) -> Row:
    """Measure one case: seconds a unit, and ratios to `plain` and to the `floor`.

    The contestants take turns, so that a machine whose speed drifts is as slow for all; times and
    ratios are the medians of the rounds.

    Args:
        clock: by default `clock_of` the threads of torch.
    """
    contestants = {"ours": ours, "plain": plain, "floor": floor}
    clock = clock or clock_of(threads())
    seconds = in_turn({name: run for name, run in contestants.items() if run}, rounds, clock)
    found: Row = {"what": what, "unit": unit}
    found |= {name: median(seconds[name]) if name in seconds else None for name in contestants}
    for name in ("plain", "floor"):
        pairs = zip(seconds["ours"], seconds.get(name, []), strict=name in seconds)
        found[f"ratio_{name}"] = median(a / b for a, b in pairs) if name in seconds else None
    return found | {"threads": threads(), "clock": "processor" if clock is processor else "wall"}


def in_turn(
    contestants: dict[str, Contestant], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Measure each contestant's seconds per unit, in rounds A B C, A B C, and so on."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            start = clock()
            units = run()
            seconds[name].append((clock() - start) / units)
    return seconds


def clock_of(threads: int) -> Callable[[], float]:
    """Choose a clock: with one thread the processor's, since other programs delay that less."""
    return processor if threads == 1 else time.perf_counter


def processor() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_memory(run: Contestant) -> float | None:
    """Measure by how many MB this process grows during a run, plus its children's private memory.

    Systems other than Linux return None.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    except OSError:
        return None
    before = memory("status", "VmRSS")
    others = set(_children())
    children: dict[str, int] = {}

    def look() -> None:
        with suppress(OSError, StopIteration):  # a child that has just ended
            for child in set(_children()) - others:
                own = memory("smaps_rollup", "Private_Dirty", child)
                children[child] = max(own, children.get(child, 0))

    with sampled(look):
        run()
    return (memory("status", "VmHWM") - before + sum(children.values())) / 1024


@contextmanager
def sampled(look: Callable[[], None]) -> Iterator[None]:
    """Call a function twenty times a second during the block."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _children() -> list[str]:
    """List the child processes of this process that are running."""
    found: list[str] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread that has just ended
            found += task.read_text().split()
    return found


def memory(file: str, key: str, process: str = "self") -> int:
    """Read a memory figure of a process from /proc, in kB."""
    lines = Path("/proc", process, file).read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


def exponent(points: list[list[float]]) -> float:
    """Estimate the power of x with which y grows: the slope of log y over log x.

    Only the upper half of the points is used, at least three: constant costs dominate the others.
    """
    upper = np.log([point[:2] for point in points[-max(3, len(points) // 2) :]])
    return float(np.polyfit(upper[:, 0], upper[:, 1], 1)[0])


def multiplier(m: int, k: int, n: int) -> Callable[[], Any]:
    """Return the fastest function here that multiplies float32 matrices (m, k) and (k, n).

    It is NumPy's, torch's or oneDNN's, depending on the processor and the shape.
    """
    import torch

    a = np.ones((m, k), np.float32)
    b = np.ones((k, n), np.float32)
    x = torch.from_numpy(a)
    y = torch.from_numpy(b)
    z = torch.zeros(n)
    ways: list[Callable[[], Any]] = [lambda: a @ b, lambda: x @ y]
    if torch.backends.mkldnn.is_available():
        packed = x.to_mkldnn()
        weight = y.t().contiguous().to_mkldnn()
        ways.append(lambda: torch.nn.functional.linear(packed, weight, z.to_mkldnn()))
    return fastest(ways)


def fastest(ways: list[Callable[[], Any]]) -> Callable[[], Any]:
    """Choose the function that takes the least time, of three calls of each."""
    times = in_turn({str(i): work(1, way) for i, way in enumerate(ways)}, 3)
    return ways[min(range(len(ways)), key=lambda i: min(times[str(i)]))]


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0))


def threads() -> int:
    """Return the number of threads that torch uses, or would use if it were imported."""
    if "torch" in sys.modules:
        return int(sys.modules["torch"].get_num_threads())
    return int(os.environ.get("OMP_NUM_THREADS", cores()))


def hardware() -> dict[str, Any]:
    """Describe the machine and the versions that the numbers are of."""
    import torch

    return {
        "processor": machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "cores": cores(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in PACKAGES},
    }


def number(value: float | None) -> str:
    """Three digits, or more before the point; `not measured` for None and NaN."""
    if value is None or isnan(value):
        return "not measured"
    digits = f"{value:.3g}" if 1e-4 <= abs(value) < 100 else f"{value:,.0f}"
    return f"{value:.1e}" if 0 < abs(value) < 1e-4 else digits


def table(rows: list[Row]) -> str:
    """Format the rows as a table in Markdown."""
    heads = ["what", "unit", "ours", "plain", "floor", "ours / plain", "ours / floor"]
    heads.append("threads")
    lines = [f"| {' | '.join(heads)} |", f"|---|---|{'--:|' * (len(heads) - 2)}"]
    keys = ("ours", "plain", "floor", "ratio_plain", "ratio_floor", "threads")
    for each in rows:
        cells = [each["what"], each["unit"], *(number(each[key]) for key in keys)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def program(text: str, rows: Callable[[bool], list[Row]]) -> None:
    """Run a benchmark as a program: parse the arguments, measure, print the table, write JSON."""
    name = Path(sys.argv[0]).stem
    parser = argparse.ArgumentParser(
        description=text,
        epilog=f"example:\n  python benchmarks/{name}.py --small --output {name}.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--small", action="store_true", help="tiny inputs, to see that it works")
    parser.add_argument(
        "--output",
        type=Path,
        help=f"the JSON file to write (default: benchmarks/results/{name}.json; none if --small)",
    )
    arguments = parser.parse_args()
    measured = [{"stage": name} | each for each in rows(arguments.small)]
    print(table(measured))
    output = arguments.output or (None if arguments.small else RESULTS / f"{name}.json")
    if output is None:
        return
    content = {
        "machine": hardware(),
        "command": f"python benchmarks/{name}.py{' --small' * arguments.small}",
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "rows": measured,
    }
    write_json(output, content)
