"""docs/architecture.md: its drawing of which rule makes what from what.

The rules and what each needs come from Snakemake, for the demo and the experiments in `config/`
that want no features of one's own together, so that the drawing cannot say what the workflow does
not do. A rule's colour is its file in `rules/`. It is drawn here, without Graphviz, so that every
machine gives the same file to the byte.
"""

import os
import re
import subprocess
import sys
from itertools import cycle, pairwise
from typing import Any

import networkx as nx

from docs.pages.tables import ROOT, rendered
from groundvec import papers
from groundvec.config import parts

PAPERS = list(papers.known())
NOT_DRAWN = ("flickr30k", "multi30k")  # which need a folder of your own pictures
COLOURS = ["#f6d6a8", "#cfe3b4", "#b7dfd3", "#b9d7f0", "#cfc8ee"]
COLOURS += ["#ecc6df", "#f3c1b8", "#dddddd", "#f2e59c"]
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 128, 26, 46, 12, 12  # of a rule's box, and around it

# A rule's name; or an edge, and the column that it passes there.
Place = str | tuple[str, str, int]


def rule_graph() -> nx.DiGraph:
    """Read the rules of all experiments, without `all` and without transitive edges.

    A paper's tables and figures are one.
    """
    experiments = [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))]
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "mermaid-js", "--configfile"]
    # A mirror of the data decides which files are downloaded; the drawing is without one.
    options: dict[str, Any] = {"cwd": ROOT, "env": {**os.environ, "GROUNDVEC_MIRROR": ""}}
    options |= {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    drawn = [path for path in experiments if path.stem not in NOT_DRAWN]
    calls = [subprocess.Popen([*command, str(path)], **options) for path in drawn]
    graph = nx.DiGraph()
    for call in calls:
        text, errors = call.communicate()
        if call.returncode:
            raise SystemExit(errors)
        rules = re.findall(r"^\s*(id\d+)\[(\w+)\]", text, flags=re.M)
        names = {key: next(filter(rule.startswith, PAPERS), rule) for key, rule in rules}
        edges = re.findall(r"^\s*(id\d+) --> (id\d+)", text, flags=re.M)
        graph.add_nodes_from(names.values())
        graph.add_edges_from((names[a], names[b]) for a, b in edges)
    graph.remove_node("all")
    # A paper's claims are made of its other tables.
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return nx.transitive_reduction(graph)


def stages() -> dict[str, str]:
    """Find the stage of each rule: its file in `rules/`, in the order of the Snakefile."""
    files = re.findall(r'^ *include: "rules/(\w+)\.smk"', (ROOT / "Snakefile").read_text(), re.M)
    text = {stage: (ROOT / "rules" / f"{stage}.smk").read_text() for stage in files}
    rules = {
        stage: re.findall(r"^(?:use rule \w+ as|rule) (\w+)", text[stage], re.M) for stage in files
    }
    rules["dataset"] = [f"dataset_{name}" for name in parts.names("sources")]
    rules["report"] = PAPERS
    return {rule: stage for stage in files for rule in rules[stage]}


def columns(graph: nx.DiGraph, order: list[str]) -> tuple[list[list[Place]], list[list[Place]]]:
    """Put each rule one column left of the first that needs it, and the last rules rightmost.

    Returns:
        The columns, each from top to bottom, and for each edge the places that it goes through:
        an edge across columns has a place in each, so that it crosses no box.
    """
    right: dict[str, int] = {}  # columns, counted from the right
    for rule in reversed(list(nx.lexicographical_topological_sort(graph, key=order.index))):
        right[rule] = max((right[after] + 1 for after in graph.successors(rule)), default=0)
    column = {rule: max(right.values()) - right[rule] for rule in graph}
    table: list[list[Place]] = [[] for _ in range(max(column.values()) + 1)]
    for rule in sorted(graph, key=order.index):
        table[column[rule]].append(rule)
    paths: list[list[Place]] = []
    for a, b in sorted(graph.edges):
        between = [(a, b, i) for i in range(column[a] + 1, column[b])]
        paths.append([a, *between, b])
        for place in between:
            table[place[2]].append(place)
    # Sort each column by its neighbours' mean height, there and back, until lines hardly cross.
    links = [link for path in paths for link in pairwise(path)]
    for sweep in range(24):
        forward = sweep % 2 == 0
        height = {node: i / len(nodes) for nodes in table for i, node in enumerate(nodes)}
        for nodes in table[1:] if forward else table[-2::-1]:
            near = {n: [link[not forward] for link in links if link[forward] == n] for n in nodes}
            mean = {n: sum(height[m] for m in near[n]) / len(near[n]) for n in nodes if near[n]}
            nodes.sort(key={**height, **mean}.__getitem__)
            height |= {node: i / len(nodes) for i, node in enumerate(nodes)}
    return table, paths


def svg() -> str:
    """Draw one box per rule, coloured by stage, and a line to each rule that needs its files."""
    stage = stages()
    graph = rule_graph()
    order = list(stage)
    colour = dict(zip(dict.fromkeys(stage.values()), cycle(COLOURS), strict=False))
    table, paths = columns(graph, order)
    tallest = max(map(len, table))
    middle: dict[Place, tuple[float, float]] = {}  # of each place, in pixels
    for i, nodes in enumerate(table):
        step = (HEIGHT + GAP_Y) * (1 if len(nodes) > tallest / 2 else 1.5)
        top = MARGIN + (tallest - 1) * (HEIGHT + GAP_Y) / 2 - (len(nodes) - 1) * step / 2
        for j, node in enumerate(nodes):
            x = MARGIN + i * (WIDTH + GAP_X) + WIDTH / 2
            middle[node] = x, top + j * step + HEIGHT / 2
    lines = []
    for path in paths:
        x, y = middle[path[0]]
        drawn = f"M{x + WIDTH / 2:g},{y:g}"
        for place in path[1:]:
            to_x, to_y = middle[place]
            bend = to_x - WIDTH / 2 - GAP_X / 2
            drawn += f" C{bend:g},{y:g} {bend:g},{to_y:g} {to_x - WIDTH / 2:g},{to_y:g}"
            if isinstance(place, tuple):
                drawn += f" H{to_x + WIDTH / 2:g}"
            y = to_y
        lines.append(drawn)
    bottom = MARGIN + tallest * (HEIGHT + GAP_Y) + GAP_Y
    return rendered(
        "flow",
        width=len(table) * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN,
        height=bottom + 14 + MARGIN,
        bottom=bottom,
        box=(WIDTH, HEIGHT, MARGIN),
        lines=lines,
        boxes=[
            (rule, *middle[rule], colour[stage[rule]]) for rule in sorted(graph, key=order.index)
        ],
        legend=[(name, colour[name]) for name in colour if name in {stage[of] for of in graph}],
    )


FILES = {"images/flow.svg": svg}
