r"""Rehearse an experiment on small files in the public form, before the real thing.

Makes a copy of the project, with a mirror of what the configuration downloads: drawn pictures and
sentences, and networks and word vectors of the real sizes with random weights. Then it runs the
workflow there, every model of the configuration included. Two epochs, two crops and two seeds at
most are trained and computed. The numbers mean nothing; the last lines say where the page is, and
how long each stage would take in full.

Example:
  python tests/rehearse.py config/paper.yaml
  python tests/rehearse.py config/paper.yaml --folder /scratch/rehearsal -- --profile slurm

Arguments after `--` are Snakemake's. After an interruption, the same command with --folder resumes.

Time in full assumes this machine, one job after another, and that
- features take as long as pictures and crops are many;
- a training takes as long as its training pictures and epochs are many (history.csv has the time
  without the start), evaluation as its test pictures and snapshots, ratings as the rated pairs;
- the start of a program, the tables, figures and pages take as long as here.
Small batches, short lists and a network's first steps make small runs slower per picture, a
growing vocabulary and a full cache make large ones slower. Take it for the order of magnitude.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pandas as pd
import yaml

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from groundvec.data.dataset import SPLITS
from reproduction import papers
from rules.experiment import complete
from tests.support import public_files
from tests.support.sts_files import SUBTASKS
from tests.support.workflow import copy_project

# By source and split; karpathy's are Flickr30k's. `pairs` are sentence pairs for translation only.
PICTURES = yaml.safe_load("""
    flickr8k: {train: 6000, dev: 1000, test: 1000}
    karpathy: {train: 29000, dev: 1014, test: 1000}
    mscoco: {train: 113287, dev: 5000, test: 5000}
    multi30k: {train: 29000, dev: 500, test: 514, pairs: 1000}
    pascal1k: {train: 800, dev: 100, test: 100}
""")
TIMES = ("here", "in full")
MULTI30K_OF_FLICKR8K = {"train": 5528, "dev": 934, "test": 929}
RATED = sum(sum(of.values()) for of in SUBTASKS.values()) + 8628 + 9927  # with STS-B and SICK


def shorten(config, batch):
    """Change a configuration in place: every model, but few epochs, crops, seeds and pictures."""
    for model in [*config.get("models", {}).values(), *config["datasets"].values()]:
        training = model.setdefault("training", {})
        training |= {"epochs": min(training.get("epochs", 2), 2), "cycle": 1}
        if "alternate" in training:
            training["alternate"] = 1
    for data in config["datasets"].values():
        if "seeds" in data:
            data["seeds"] = data["seeds"][:2]
        if "draw" in data:
            data["draw"] = [batch, 8, 8]
        if "of" not in data:
            data["crops"] = min(data.get("crops", 10), 2)
    for system in config.get("translation", {}).get("systems", {}).values():
        system["epochs"] = 2


def prepare(folder, config):
    """Copy the project, make its mirror and write the shortened configuration."""
    full = complete(config)
    models = [model for data in full["datasets"].values() for model in data["models"].values()]
    batch = max(model["training"]["batch_size"] for model in models)
    if folder.exists():
        sys.exit(f"error: {folder} is no complete rehearsal: delete it, or name another folder")
    folder.mkdir(parents=True)
    copy_project(folder)
    datasets = full["datasets"].values()
    backbones = {network["name"] for data in datasets for network in data["backbone"]}
    networks = sorted(backbones & {"resnet152", "vgg19"})
    everything = any(name in json.dumps(config) for name in ("multi30k", "infersent"))
    public_files.write(folder, 2 * batch, networks, everything)
    shorten(config, batch)
    (folder / "rehearsal.json").write_text(json.dumps(config))  # last: then it is prepared


def jobs(folder):
    """Yield each finished job's rule, the parts of its log's path, and its seconds."""
    records = [path for path in (folder / ".snakemake/metadata").rglob("*") if path.is_file()]
    found = {job["log"][0]: job for job in map(json.loads, map(Path.read_text, records))}
    for log, job in found.items():
        yield job["rule"], Path(log).with_suffix("").parts, job["endtime"] - job["starttime"]


def growth(folder, full, small, rule, parts):
    """How many times as long a job takes in full, but for its start; and how many such jobs."""
    ratings = folder / "results" / full["experiment"] / "ratings/sts.csv"
    rated = RATED / len(pd.read_csv(ratings)) if ratings.exists() else 1
    if rule in ("baseline", "ratings_sts", "trees_ratings"):
        return rated, 1
    named = [full["translation"]["dataset"]] if "translation" in parts else parts
    name = next((part for part in named if part in full["datasets"]), None)
    if name is None:
        return 1, 1
    data = full["datasets"][name]
    short = small["datasets"][name]
    images = pd.read_csv(folder / "results/datasets" / data.get("of", name) / "images.csv")
    here = images["split"].value_counts().to_dict()
    whole = MULTI30K_OF_FLICKR8K if "pictures" in data else PICTURES.get(data["source"], here)
    if "draw" in data and rule in ("train", "retrieval"):
        whole, here = (dict(zip(SPLITS, each["draw"], strict=True)) for each in (data, short))
    pictures = sum(whole.values()) / sum(here.values())
    trained = whole["train"] / here["train"]
    tested = (whole["dev"] + whole["test"]) / (here["dev"] + here["test"])
    epochs = snapshots = count = 1
    if model := next((part for part in parts if part in data["models"]), None):
        training, shorter = (each["models"][model]["training"] for each in (data, short))
        epochs = training["epochs"] / shorter["epochs"]
        snapshots = (training["epochs"] / training["cycle"] + 1) / (shorter["epochs"] + 1)
        count = len(data["seeds"]) / len(short["seeds"])
    if rule == "translator":
        epochs = full["translation"]["systems"][parts[-2]]["epochs"] / 2
    every = any(papers.known()[paper].every_epoch for paper in data["papers"])
    sentences = 1007 / public_files.TESTED  # to translate, of Multi30k's two lists
    times = {
        "extract_features": pictures * data["crops"] / short["crops"],
        "train": trained * epochs,
        "translator": trained * epochs,
        "retrieval": tested * snapshots,
        "rate": rated * (snapshots if every else 1),
        **dict.fromkeys(("translate", "rerank"), sentences),
        **dict.fromkeys(("unpack", "text", "trees", f"dataset_{data['source']}"), pictures),
        **dict.fromkeys(("join_features", "concatenate_features"), pictures),
    }
    return times.get(rule, 1), count


def stages(folder, config):
    """A row per rule that takes longer in full: jobs and seconds here, and seconds in full."""
    full = complete(config)
    small = complete(json.loads((folder / "rehearsal.json").read_text()))
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import groundvec.model.network"], check=True)
    start = time.monotonic() - began
    rows = []
    for rule, parts, seconds in jobs(folder):
        times, count = growth(folder, full, small, rule, parts)
        fixed = min(start, seconds / 2)  # the import may have been faster in the job than here
        if rule == "train":
            history = folder.joinpath("results", full["experiment"], "models", *parts[-3:])
            fixed = max(seconds - pd.read_csv(history / "history.csv")["seconds"].iloc[-1], 0)
        in_full = count * (fixed + times * (seconds - fixed))
        stage = rule if times != 1 or rule == "download" else "tables, figures and so on"
        rows.append((stage, 1, seconds, in_full))
    table = pd.DataFrame(rows, columns=["stage", "jobs", *TIMES]).groupby("stage").sum()
    # The mirror's files are copied here; an experiment in full downloads them.
    table.loc[table.index == "download", "in full"] = float("nan")
    table = table.sort_values("in full", ascending=False)
    table.loc["all, one after another"] = table.sum()
    return table.astype({"jobs": int})


def clock(seconds):
    """Hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))


def main(arguments):
    text = arguments.config.read_text("utf-8")
    config = yaml.safe_load(text)
    folder = (arguments.folder or Path(tempfile.mkdtemp(), "rehearsal")).resolve()
    if not (folder / "rehearsal.json").exists():
        prepare(folder, yaml.safe_load(text))
    command = [sys.executable, "-m", "snakemake", "--configfile", "rehearsal.json"]
    options = arguments.options or ["--cores", "all"]
    env = os.environ | {"GROUNDVEC_MIRROR": str(folder / "mirror"), "PYTHONPATH": str(folder)}
    process = subprocess.Popen([*command, *options], cwd=folder, env=env)
    while process.poll() is None:
        with suppress(KeyboardInterrupt):  # it goes to Snakemake too, which ends its jobs first
            process.wait()
    if process.returncode:
        sys.exit(f"error: the rehearsal has not ended; --folder {folder} resumes it")
    if (folder / "results").exists():  # not after a dry run
        print(stages(folder, config).to_string(formatters=dict.fromkeys(TIMES, clock), na_rep="-"))
    page = folder / "results" / config["experiment"] / "report/index.html"
    if page.exists():
        print(f"The page of the rehearsal is {page}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path, help="the configuration to rehearse")
    parser.add_argument("--folder", type=Path, help="where; by default a temporary folder")
    parser.add_argument("options", nargs="*", help="Snakemake's; by default --cores all")
    main(parser.parse_intermixed_args())
