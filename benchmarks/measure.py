"""Shared functions of the benchmarks: measure time and memory, and write the results.

Each benchmark compares up to three contestants that do the same work: *ours*; *plain*, the authors'
method in a few lines; and the *floor*, a lower bound for any such program.
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
Contestant = Callable[[], float]  # does the work, and returns its number of units
Row = dict[str, Any]


def work(units: float, function: Callable[..., Any], *arguments: Any, times: int = 1) -> Contestant:
    """Return a contestant that calls a function `times` times; a call does `units` of work."""

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
    """Measure one case: seconds per unit, and the ratios to `plain` and to the `floor`.

    The contestants take turns, so that a drift of the machine's speed affects all of them. Times
    and ratios are medians over the rounds.

    Args:
        what: the name of the case.
        unit: the unit of the times.
        ours, plain, floor: the contestants.
        rounds: number of measurements of each contestant.
        clock: by default `clock_of` torch's number of threads.
    """
    contestants = {"ours": ours, "plain": plain, "floor": floor}
    clock = clock or clock_of(threads())
    seconds = in_turn({name: run for name, run in contestants.items() if run}, rounds, clock)
    result: Row = {"what": what, "unit": unit}
    for name in contestants:
        result[name] = median(seconds[name]) if name in seconds else None
    for name in ("plain", "floor"):
        result[f"ratio_{name}"] = None
        if name in seconds:
            rounds_of_both = zip(seconds["ours"], seconds[name], strict=True)
            result[f"ratio_{name}"] = median(a / b for a, b in rounds_of_both)
    result["threads"] = threads()
    result["clock"] = "processor" if clock is processor else "wall"
    return result


def in_turn(
    contestants: dict[str, Contestant], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Measure the seconds per unit of each contestant, in rounds A B C, A B C, and so on."""
    # Taking turns spreads a slow phase of the machine over all contestants.
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            start = clock()
            units = run()
            seconds[name].append((clock() - start) / units)
    return seconds


def clock_of(threads: int) -> Callable[[], float]:
    """Choose the processor's clock for one thread, because other programs affect it less."""
    return processor if threads == 1 else time.perf_counter


def processor() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_memory(run: Contestant) -> float | None:
    """Measure the growth of this process during a run, plus its children's private memory, in MB.

    The result is None on systems other than Linux.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak, `VmHWM`
    except OSError:
        return None
    before = memory("status", "VmRSS")  # resident memory now; `VmHWM` is its peak
    others = set(_children())
    children: dict[str, int] = {}

    def look() -> None:
        with suppress(OSError, StopIteration):  # a child that has just ended
            for child in set(_children()) - others:
                private = memory("smaps_rollup", "Private_Dirty", child)
                children[child] = max(private, children.get(child, 0))

    with sampled(look):
        run()
    return (memory("status", "VmHWM") - before + sum(children.values())) / 1024


@contextmanager
def sampled(look: Callable[[], None]) -> Iterator[None]:
    """Call a function every 0.05 seconds during the block."""
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
    processes: list[str] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread that has just ended
            processes += task.read_text().split()
    return processes


def memory(file: str, key: str, process: str = "self") -> int:
    """Read a memory figure of a process from /proc, in kB."""
    lines = Path("/proc", process, file).read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


def exponent(points: list[list[float]]) -> float:
    """Estimate the power of x with which y grows: the slope of log y over log x.

    Only the larger half of the points is used, at least three, because constant costs dominate the
    smaller ones.
    """
    upper = np.log([point[:2] for point in points[-max(3, len(points) // 2) :]])
    return float(np.polyfit(upper[:, 0], upper[:, 1], 1)[0])


def multiplier(m: int, k: int, n: int) -> Callable[[], Any]:
    """Return the fastest function here that multiplies float32 matrices (m, k) and (k, n).

    It is a function of NumPy, torch or oneDNN, depending on the processor and the shape.
    """
    import torch

    a = np.ones((m, k), np.float32)
    b = np.ones((k, n), np.float32)
    x = torch.from_numpy(a)
    y = torch.from_numpy(b)
    z = torch.zeros(n)
    candidates: list[Callable[[], Any]] = [lambda: a @ b, lambda: x @ y]
    if torch.backends.mkldnn.is_available():
        packed = x.to_mkldnn()
        weight = y.t().contiguous().to_mkldnn()
        candidates.append(lambda: torch.nn.functional.linear(packed, weight, z.to_mkldnn()))
    return fastest(candidates)


def fastest(functions: list[Callable[[], Any]]) -> Callable[[], Any]:
    """Return the function that is fastest in the best of three calls."""
    times = in_turn({str(i): work(1, function) for i, function in enumerate(functions)}, 3)
    return functions[min(range(len(functions)), key=lambda i: min(times[str(i)]))]


def cores() -> int:
    """Return the number of cores that this process can use."""
    return len(os.sched_getaffinity(0))


def threads() -> int:
    """Return the number of threads that torch uses, or would use after its import."""
    if "torch" in sys.modules:
        return int(sys.modules["torch"].get_num_threads())
    return int(os.environ.get("OMP_NUM_THREADS", cores()))


def hardware() -> dict[str, Any]:
    """Describe the machine and the versions of the measurement."""
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
    """Write a number with three digits, or `not measured` for None and NaN."""
    if value is None or isnan(value):
        return "not measured"
    digits = f"{value:.3g}" if 1e-4 <= abs(value) < 100 else f"{value:,.0f}"
    return f"{value:.1e}" if 0 < abs(value) < 1e-4 else digits


def table(rows: list[Row]) -> str:
    """Write the rows as a Markdown table."""
    headings = {
        "ours": "ours",
        "plain": "plain",
        "floor": "floor",
        "ratio_plain": "ours / plain",
        "ratio_floor": "ours / floor",
        "threads": "threads",
    }
    lines = [f"| what | unit | {' | '.join(headings.values())} |"]
    lines.append(f"|---|---|{'--:|' * len(headings)}")
    for result in rows:
        numbers = [number(result[key]) for key in headings]
        lines.append(f"| {' | '.join([result['what'], result['unit'], *numbers])} |")
    return "\n".join(lines)


def program(text: str, rows: Callable[[bool], list[Row]]) -> None:
    """Run a benchmark as a program: parse the arguments, measure, print the table, write JSON."""
    name = Path(sys.argv[0]).stem
    parser = argparse.ArgumentParser(
        description=text,
        epilog=f"example:\n  python benchmarks/{name}.py --small --output {name}.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--small", action="store_true", help="tiny inputs, for a test")
    parser.add_argument(
        "--output",
        type=Path,
        help=f"the JSON file to write (default: benchmarks/results/{name}.json; none if --small)",
    )
    arguments = parser.parse_args()
    measured = [{"stage": name} | result for result in rows(arguments.small)]
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
