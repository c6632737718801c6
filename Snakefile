import sys

from snakemake.utils import min_version

min_version("9.12")  # which brought pathvars

import gc
import os
from pathlib import Path

# Snakemake's own objects stay until the end: to skip them in garbage collection saves 0.4 s.
gc.freeze()

# This file's folder. It is not the current one if other workflows use this file as a module.
try:
    HOME = os.fspath(workflow.current_basedir)
except TypeError:  # a file on GitHub, for one
    sys.exit(
        "error: this workflow runs its own scripts: clone its repository, and name the path "
        "of its Snakefile as `snakefile`"
    )
sys.path.insert(0, HOME)

from groundvec.config import parts
from reproduction.reading import read_yaml
from groundvec.data.sts_archives import MIRRORED, PUBLIC, chosen
from groundvec.runtime.errors import InputError
from rules.experiment import complete
from rules.named_files import archive, check_files
from rules.plan import (
    DATASET,
    MODEL,
    RATED_BY_BASELINE,
    RATED_BY_MODEL,
    RERANKED,
    RETRIEVAL,
    SYSTEM,
    Plan,
    any_of,
    as_json,
    file_options,
    options,
    reads_english,
)

# The public files, by their paths in data/.
SOURCES = parts.load_yaml(Path(HOME, "resources/sources.yaml"))

# An experiment given with --configfile is complete; it is not merged into the demo's. With
# --directory, or if other workflows use this file, the demo's is not in the current folder.
if not workflow.overwrite_configfiles:

    configfile: "config.yaml" if Path("config.yaml").exists() else f"{HOME}/config.yaml"


try:
    config = complete(config)
    # Scripts read the mirror's location from GROUNDVEC_MIRROR: as a param, another mirror would
    # download everything again.
    MIRROR = config["mirror"] or os.environ.get("GROUNDVEC_MIRROR", "")
    # Once, and not in each of the workflow's jobs.
    if workflow.is_main_process:
        for path in workflow.configfiles:
            read_yaml(Path(path).read_text("utf-8"), path)
        check_files(config, MIRROR, SOURCES)
except InputError as error:
    sys.exit(f"error: {error}")
except OSError as error:
    sys.exit(
        f"error: {error.filename}: {error.strerror}; change its permissions or the path"
    )

DATASETS = config["datasets"]
plan = Plan(config, MIRROR, SOURCES)


pathvars:
    experiment=f"results/{config['experiment']}",


include: "rules/common.smk"
include: "rules/download.smk"
include: "rules/dataset.smk"
include: "rules/features.smk"
include: "rules/text.smk"
include: "rules/train.smk"
include: "rules/tune.smk"
include: "rules/retrieval.smk"
include: "rules/ratings.smk"


if "translation" in config:

    include: "rules/translation.smk"


include: "rules/report.smk"
include: "rules/card.smk"
include: "rules/lexicon.smk"
include: "rules/try_it.smk"
include: "rules/page.smk"


report: "report/workflow.rst"


rule all:
    default_target: True
    input:
        TABLES,
        FIGURES,
        plan.every_model(f"{MODEL}/README.md", DATASETS),
        PAGE,
        plan.reranked,
    localrule: True


onstart:
    print_running_jobs()


onerror:
    print_slurm_errors()


onsuccess:
    page = Path("results", config["experiment"], "report", "index.html")
    # A run for some of the files may not have made the page.
    if page.exists() and page.stat().st_mtime > STARTED:
        folders = [
            f"results/{config['experiment']}/{paper}" for paper in plan.papers
        ]
        print(f"The tables and figures are in {' and '.join(folders)}.")
        print(f"They are on one page for a browser in {page}.")
