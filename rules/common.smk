"""What several rules need: the configuration of a data set, and lists of files."""

import json
import os
import re
import shlex
import shutil
import time
from pathlib import Path

import yaml

from grounded.jobs import running
from grounded.provenance import code_hash

ENVIRONMENT = "../envs/grounded.yaml"

# The public files, by their path in data/.
SOURCES = yaml.safe_load(open(f"{workflow.basedir}/resources/sources.yaml"))

# Where the library and a mirror of the data lie is told to the scripts by the environment and not
# by params: another mirror downloads nothing again.
MIRROR = config["mirror"] or os.environ.get("GROUNDED_MIRROR", "")
os.environ.update(PYTHONPATH=str(workflow.basedir), GROUNDED_MIRROR=MIRROR)

SEMANTICS = config.get("semantics", {})
PAIRS = f"<experiment>/pairs/{SEMANTICS.get('pairs')}.csv"
TASKS = f"<experiment>/pairs/{SEMANTICS.get('pairs')}.tasks.csv"

# A rule that can use a GPU asks for one where there is one. On a cluster the profile asks.
GPU = int(shutil.which("nvidia-smi") is not None)


wildcard_constraints:
    dataset="|".join(DATASETS),
    cell=r"[a-z]+-\d+-[a-z]+",
    seed=r"\d+",
    language="[a-z]+",
    baseline="|".join(SEMANTICS.get("baselines", ["(?!)"])),


def names(source):
    """A pattern for the names of the data sets from one source."""
    return "|".join(n for n, d in DATASETS.items() if d["source"] == source) or "(?!)"


def dataset_file(name):
    """A function for a rule's input: a file of the data set of its wildcards."""
    return f"results/datasets/{{dataset}}/{name}"


def features_file(wildcards):
    return f"results/features/{wildcards.dataset}/{DATASETS[wildcards.dataset]['backbone']}.h5"


def vocabulary_file(wildcards):
    return f"results/vocabulary/{wildcards.dataset}.{DATASETS[wildcards.dataset]['language']}.json"


def setting(key):
    """A function for a rule's params: one key of the configuration of its data set."""
    return lambda wildcards: DATASETS[wildcards.dataset][key]


def weights_file(wildcards):
    """The backbone's weights, where resources/sources.yaml has them; else torchvision's cache."""
    pattern = rf"weights/{wildcards.backbone}-[0-9a-f]+\.pth"
    default = DATASETS[wildcards.dataset]["weights"] == "IMAGENET1K_V1"
    return [
        f"data/{name}" for name in SOURCES if default and re.fullmatch(pattern, name)
    ]


def weights_option(wildcards, input):
    return f"--weights-file {input.weights}" if input.weights else ""


def feature_files(wildcards):
    """The parts of an extraction, or precomputed features from the mirror or from anywhere."""
    data = DATASETS[wildcards.dataset]
    if wildcards.backbone == "precomputed":
        mirrored = os.path.join(MIRROR, data["features"])
        return mirrored if os.path.exists(mirrored) else data["features"]
    stem = f"results/features/{wildcards.dataset}/{wildcards.backbone}"
    return [f"{stem}.part{part}-of-{data['parts']}.h5" for part in range(data["parts"])]


def training_options(wildcards):
    """The command line options of scripts/train.py that the configuration decides."""
    settings = DATASETS[wildcards.dataset]["training"]
    return " ".join(
        f"--{key.replace('_', '-')} {'null' if value is None else value}"
        for key, value in sorted(settings.items())
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


def retrieval_files(wildcards):
    """The scores of all models, or of those of one data set."""
    pattern = "<experiment>/retrieval/{dataset}/{cell}/seed{seed}.csv"
    return every_model(pattern, wildcards.get("dataset"))


def ratings_folders():
    """What STS and SICK are unpacked to: a mirror's two archives, or the nine public ones."""
    of_mirror = ["sts/STS", "sts/SICK"]
    if all(
        os.path.exists(f"{MIRROR}/{name}.zip") or os.path.exists(f"data/{name}")
        for name in of_mirror
    ):
        return [f"data/{name}" for name in of_mirror]
    public = [name for name in ARCHIVES if name.startswith("sts/")]
    return [f"data/{name}" for name in public if name not in of_mirror]


def public(name):
    """What the configuration names: in data/ if it is a public file, else a path as it is."""
    return f"data/{name}" if name.startswith(tuple(SOURCES)) else name


def baseline_settings(wildcards):
    settings = SEMANTICS["baselines"][wildcards.baseline]
    return {
        k: public(v) if k in ("vectors", "state") else v for k, v in settings.items()
    }


def baseline_files(wildcards):
    settings = baseline_settings(wildcards)
    files = [settings[key] for key in ("vectors", "state") if key in settings]
    return [re.sub(r"\.zip/.*", ".zip", name) for name in files]


def baseline_options(wildcards):
    """The command line options of scripts/baseline.py."""
    settings = baseline_settings(wildcards)
    return " ".join(f"--{k} {shlex.quote(str(v))}" for k, v in settings.items())


def semantics_files(suffix):
    """Scores (.csv) or similarities (.similarities.csv) of all systems; none without ratings."""
    if not SEMANTICS:
        return []
    models = f"<experiment>/semantics/models/{{dataset}}/{{cell}}/seed{{seed}}{suffix}"
    baselines = f"<experiment>/semantics/baselines/{{baseline}}{suffix}"
    return every_model(models) + expand(baselines, baseline=SEMANTICS["baselines"])


def table(name):
    """A table as CSV, LaTeX and Markdown, the last for the report."""
    stem = f"<experiment>/tables/{name}"
    caption = f"../report/{name}.rst"
    return {
        "csv": f"{stem}.csv",
        "tex": f"{stem}.tex",
        "md": report(f"{stem}.md", caption=caption, category="Tables"),
    }


def pictures(name):
    """A figure as PDF and PNG, the latter for the report."""
    stem = f"<experiment>/figures/{name}"
    caption = f"../report/{name.partition('-')[0]}.rst"
    return {
        "pdf": f"{stem}.pdf",
        "png": report(f"{stem}.png", caption=caption, category="Figures"),
    }


def stem(wildcards, output):
    """For a rule's params: its first output without the suffix."""
    return os.path.splitext(output[0])[0]


def tables():
    names = ["table2", "table2-snapshots"]
    if SEMANTICS:
        names += ["table1", "table3", "significance", "supplement"]
        names += ["supplement-models", "supplement-spearman"]
    return expand(
        "<experiment>/tables/{table}.{suffix}",
        table=sorted(names),
        suffix=["csv", "md", "tex"],
    )


def figures():
    stems = ["figure1", "figure2", "figure4", *(f"samples-{name}" for name in DATASETS)]
    if SEMANTICS:
        stems += ["figure3", "agreement"]
    return expand(
        "<experiment>/figures/{stem}.{suffix}",
        stem=sorted(stems),
        suffix=["pdf", "png"],
    )


CHECKPOINTS = Path("results/checkpoints")
STARTED = time.time()


def say_what_is_running():
    """Trainings and extractions that outlived the driver that started them."""
    for lock in sorted(CHECKPOINTS.rglob("lock")):
        if holder := running(lock.parent):
            print(f"Running since an earlier start: {holder}.")


def say_why_jobs_failed():
    """What SLURM wrote about jobs that failed in this run; without accounting it tells nobody else."""
    logs = Path("results/slurm").rglob("*.log")
    for log in sorted(path for path in logs if path.stat().st_mtime > STARTED):
        reason = re.search(
            r"error: .*(memory|TIME LIMIT|CANCELLED|PREEMPT|Killed).*",
            log.read_text(errors="replace"),
        )
        if reason:
            print(f"{log}: {reason[0]}")


def remove_checkpoints():
    """Of all that this experiment has finished.

    Not a job's own task: when its driver was killed, the job that the next one starts deletes the
    results before it knows that they are whole, and finds them in the checkpoints.
    """
    models = f"results/{config['experiment']}/models"
    for model in every_model(f"{models}/{{dataset}}/{{cell}}/seed{{seed}}/model.json"):
        if (model := Path(model)).exists():
            shutil.rmtree(
                CHECKPOINTS / json.loads(model.read_text())["key"], ignore_errors=True
            )
    for name, data in DATASETS.items():
        if Path(f"results/features/{name}/{data['backbone']}.h5").exists():
            shutil.rmtree(
                CHECKPOINTS / "features" / name / data["backbone"], ignore_errors=True
            )
