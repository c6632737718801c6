"""The benchmarks run on small inputs. No limit of time is asserted."""

import json
import os
import runpy

import pytest

from tests.support import ROOT, forks

PROGRAMS = sorted(path for path in (ROOT / "benchmarks").glob("*.py") if path.name != "measure.py")
KEYS = {"stage", "what", "unit", "ours", "plain", "floor", "ratio_plain", "ratio_floor", "threads"}
measure = runpy.run_path(str(ROOT / "benchmarks" / "measure.py"))


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_benchmark_runs_on_small_inputs(program):
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    printed = forks.run(program, "--small", cwd=ROOT, env=env)
    assert printed.returncode == 0, printed.stderr
    heading, *rows = printed.stdout.splitlines()
    assert {*heading.split()} >= KEYS
    assert rows and all(row.split()[0] == program.stem for row in rows)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "benchmarks" / "results").glob("*.json")), ids=lambda path: path.stem
)
def test_kept_results_name_their_origin_and_have_every_column(path):
    content = json.loads(path.read_text())
    assert content["command"] == f"python benchmarks/{path.name.removesuffix('.json')}.py"
    assert content["commit"] != "unknown"
    assert all(row.keys() >= KEYS and row["stage"] == path.stem for row in content["rows"])


def test_contestants_take_turns_and_units_count():
    order = []
    contestants = {"a": lambda: order.append("a") or 1, "b": lambda: order.append("b") or 2}
    seconds = measure["in_turn"](contestants, 3, iter(range(99)).__next__)
    assert order == ["a", "b"] * 3
    assert seconds == {"a": [1.0] * 3, "b": [0.5] * 3}  # a second each, for one unit and for two
