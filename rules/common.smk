"""What several rules need: the configuration of a data set, and lists of files."""

import os
import re
import shlex
from glob import glob

import yaml

from grounded.provenance import code_hash
from grounded.training.settings import Settings

# Scripts import the library from here, also in a conda environment of their own.
os.environ["PYTHONPATH"] = str(workflow.basedir)

MODEL = EXPERIMENT + "/models/{dataset}/{cell}/seed{seed}"
ENVIRONMENT = "../envs/grounded.yaml"

# The public files, by their path in data/.
SOURCES = yaml.safe_load(open(f"{workflow.basedir}/resources/sources.yaml"))

# Where an experiment's pictures lie is no part of what it is, so these are not params of a rule:
# another mirror downloads nothing again.
MIRROR = f"--mirror {shlex.quote(config['mirror'])}" if config["mirror"] else ""

# A rule that can use a GPU asks for one where there is one. On a cluster the profile asks.
GPU = int(bool(glob("/dev/nvidia[0-9]*")))


wildcard_constraints:
    dataset="|".join(DATASETS),
    cell=r"[a-z]+-\d+-[a-z]+",
    seed=r"\d+",


def names(source):
    """A pattern for the names of the data sets from one source."""
    return "|".join(n for n, d in DATASETS.items() if d["source"] == source) or "(?!)"


def dataset_file(name):
    """A function for a rule's input: a file of the data set of its wildcards."""
    return f"results/datasets/{{dataset}}/{name}"


def features_file(wildcards):
    return f"results/features/{wildcards.dataset}/{DATASETS[wildcards.dataset]['backbone']}.h5"


def setting(key):
    """A function for a rule's params: one key of the configuration of its data set."""
    return lambda wildcards: DATASETS[wildcards.dataset][key]


def training_options(wildcards):
    """The command line options of scripts/train.py that the configuration decides."""
    settings = DATASETS[wildcards.dataset]["training"]
    return " ".join(
        f"--{key.replace('_', '-')} {'null' if value is None else value}"
        for key, value in settings.items()
    )


def every_model(pattern, dataset=None):
    """Fill a pattern in for every data set, cell and seed, or for those of one data set."""
    return [
        pattern.format(dataset=name, cell=cell, seed=seed)
        for name, data in DATASETS.items()
        if dataset in (None, name)
        for cell in data["cells"]
        for seed in data["seeds"]
    ]


def tables():
    return expand(
        EXPERIMENT + "/tables/{table}.{suffix}",
        table=["table2", "table2-snapshots"],
        suffix=["csv", "md", "tex"],
    )


def figures():
    stems = ["figure1", "figure2", "figure4", *(f"samples-{name}" for name in DATASETS)]
    return expand(
        EXPERIMENT + "/figures/{stem}.{suffix}", stem=stems, suffix=["pdf", "png"]
    )
