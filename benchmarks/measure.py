"""Shared functions of the benchmarks: measure time, and write the results.

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
import time
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.provenance import ROOT, commit, machine
from groundvec.runtime.files import write_json
from groundvec.runtime.jobs import cores

RESULTS = ROOT / "benchmarks" / "results"
PACKAGES = ("torch", "torchvision", "numpy", "onnxruntime", "sentence-transformers")
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
) -> Row:
    """Measure one case: seconds per unit, and the ratios to `plain` and to the `floor`.

    The contestants take turns, so that a drift of the machine's speed affects all of them. Times
    and ratios are medians over the rounds.

    Args:
        what: the name of the case.
        unit: the unit of the times.
        ours, plain, floor: the contestants.
        rounds: number of measurements of each contestant.
    """
    contestants = {"ours": ours, "plain": plain, "floor": floor}
    threads = threads_of_torch()
    # Other programs affect the processor's clock less, but it adds up the threads.
    clock = processor if threads == 1 else time.perf_counter
    seconds = in_turn({name: run for name, run in contestants.items() if run}, rounds, clock)
    table = pd.DataFrame(seconds, columns=list(contestants))  # NaN for those that do not take part
    for name in ("plain", "floor"):
        table[f"ratio_{name}"] = table["ours"] / table[name]
    medians = {str(name): None if isnan(value) else value for name, value in table.median().items()}
    return {"what": what, "unit": unit, **medians, "threads": threads}


def in_turn(
    contestants: dict[str, Contestant], rounds: int, clock: Callable[[], float]
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


def processor() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def threads_of_torch() -> int:
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
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in PACKAGES},
    }


def program(text: str, rows: Callable[[bool], list[Row]]) -> None:
    """Run a benchmark as a program: measure, print the rows, and write benchmarks/results."""
    name = Path(sys.argv[0]).stem
    parser = argparse.ArgumentParser(
        description=text,
        epilog=f"example:\n  python benchmarks/{name}.py",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--small", action="store_true", help="tiny inputs, for a test: no file")
    small = parser.parse_args().small
    measured = [{"stage": name} | result for result in rows(small)]
    print(pd.DataFrame(measured).to_string(index=False))
    if small:
        return
    content = {
        "machine": hardware(),
        "command": f"python benchmarks/{name}.py",
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "rows": measured,
    }
    write_json(RESULTS / f"{name}.json", content)
