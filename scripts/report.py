"""Make one table or figure of a paper from result files.

Tables are written as STEM.csv, STEM.json, STEM.md, STEM.tex and STEM.html, figures as STEM.pdf,
STEM.png and STEM.svg.
If an input is missing, the message names it.
"""

import argparse
import logging
from importlib import import_module
from pathlib import Path

from groundvec import papers
from groundvec.config.cli import run

ITEMS = [f"{paper}/{name}" for paper, about in papers.known().items() for name in about.items]

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="tables and figures:\n  "
    + "\n  ".join(ITEMS)
    + "\n\nexample:\n  python scripts/report.py merkx_frank_2019/table2 "
    "--models results/demo/models/*/*/*/model.json "
    "--retrieval results/demo/retrieval/*/*/seed?.csv "
    "--reported groundvec/papers/merkx_frank_2019/reported/table2.csv --output table2",
)
parser.add_argument("item", metavar="PAPER/ITEM", choices=ITEMS, help="what to make, see below")
for option, what in {
    "models": "the model.json of each training",
    "retrieval": "what scripts/retrieval.py wrote, a file for each model",
    "scores": "correlations with ratings, a file for each system",
    "overlap": "what scripts/overlap.py wrote, a file for each model",
    "predictions": "what each system predicts for the rated pairs",
    "reranked": "scores of scripts/rerank.py, a file for each system and length",
    "query-ranks": "the rank of each query, also of scripts/retrieval.py, a file for each model",
    "history": "the history.csv of each training",
    "robustness": "what scripts/robustness.py wrote, a file for each system",
    "tables": "tables that were made before, as CSV",
    "treebanks": "parsed captions, which scripts/trees.py wrote; others are parsed",
}.items():
    parser.add_argument(f"--{option}", type=Path, nargs="*", metavar="FILE", help=what)
for option, what in {
    "ratings": "the rated pairs of sentences",
    "tasks": "the numbers of pairs by task",
    "reported": "the paper's own numbers, in groundvec/papers/PAPER/reported",
    "captions": "a data set's captions.csv",
    "images": "a data set's images.csv",
    "translations": "translations of scripts/rerank.py, of one system",
    "features": "the HDF5 file of its image features",
}.items():
    parser.add_argument(f"--{option}", type=Path, metavar="FILE", help=what)
parser.add_argument("--backbone", metavar="NAME", help="the network that gave the image features")
parser.add_argument(
    "--crops",
    type=int,
    choices=[1, 2, 10],
    help="of each picture, if it is known",
)
parser.add_argument("--subtask", metavar="TASK/SUBTASK", help="whose pairs agreement shows")
parser.add_argument(
    "--select",
    default="recall",
    metavar="RULE",
    help="which model of a data set is singled out: the one with the best recall on the "
    "development set (recall, the default), with the best ratings (ratings), or a model's name",
)
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.reporting.results import Results

    item = import_module(f"groundvec.papers.{arguments.item.replace('/', '.')}")
    item.make(Results(**vars(arguments)), arguments.output)
    logging.info("written: %s", arguments.output)


if __name__ == "__main__":
    run(main, parser)
