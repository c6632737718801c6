"""docs/tables/flow.md: the drawing of the rules and their dependencies, in Mermaid.

Snakemake lists the rules of the demo and of the experiments in `config/`, so the drawing always
shows the real workflow.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import networkx as nx

from docs.pages.tables import ROOT
from groundvec.config import parts
from reproduction import papers

PAPERS = list(papers.known())
TUNED = ("tune", "extract_features")
NOT_DRAWN = ("flickr30k", "multi30k")  # experiments that need a folder with the user's images


def drawing() -> str:
    """Draw each rule in the frame of its file, with arrows to the rules that read its outputs."""
    graph = rule_graph()
    lines = ["```mermaid", "flowchart TD"]
    for stage, rules in stages().items():
        drawn = [f"    {rule}" for rule in rules if rule in graph]
        lines += [f"  subgraph {stage}_[{stage}]", *drawn, "  end"] if drawn else []
    return "\n".join([*lines, *(f"  {a} --> {b}" for a, b in sorted(graph.edges)), "```"])


def rule_graph() -> nx.DiGraph:
    """Read the rules of all experiments, without `all` and without transitive edges.

    The tables and figures of a paper are one node.
    """
    experiments = [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))]
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "mermaid-js", "--configfile"]
    # With a mirror, other files are downloaded. The drawing shows the flow without a mirror.
    options: dict[str, Any] = {"cwd": ROOT, "env": {**os.environ, "GROUNDVEC_MIRROR": ""}}
    options |= {"text": True, "capture_output": True}

    def draw(path: Path) -> str:
        drawing = subprocess.run([*command, str(path)], **options)
        if drawing.returncode:
            raise SystemExit(drawing.stderr)
        return drawing.stdout

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        drawings = pool.map(draw, [path for path in experiments if path.stem not in NOT_DRAWN])
    graph = nx.DiGraph()
    for text in drawings:
        rules = re.findall(r"^\s*(id\d+)\[(\w+)\]", text, flags=re.M)
        names = {key: next(filter(rule.startswith, PAPERS), rule) for key, rule in rules}
        edges = re.findall(r"^\s*(id\d+) --> (id\d+)", text, flags=re.M)
        graph.add_nodes_from(names.values())
        graph.add_edges_from((names[a], names[b]) for a, b in edges)
    graph.remove_node("all")
    # A paper's claims read its other tables, which are the same node.
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    # Features of a tuned network are extracted as any other's: rules have a loop, files have none.
    graph.remove_edge(*TUNED)
    graph = nx.transitive_reduction(graph)
    graph.add_edge(*TUNED)
    return graph


def stages() -> dict[str, list[str]]:
    """List the rules of each file in `rules/`, in the order of the Snakefile."""
    files = re.findall(r'^ *include: "rules/(\w+)\.smk"', (ROOT / "Snakefile").read_text(), re.M)
    rules = {
        stage: re.findall(
            r"^(?:use rule \w+ as|rule) (\w+)", (ROOT / "rules" / f"{stage}.smk").read_text(), re.M
        )
        for stage in files
    }
    # Rules with composed names.
    return rules | {
        "dataset": [f"dataset_{name}" for name in parts.names("sources")],
        "report": PAPERS,
    }
