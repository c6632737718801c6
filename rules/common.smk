"""What several rules need: the configuration of a data set, and lists of files."""

import json
import os
import re
import shutil
import time
from pathlib import Path

from groundvec.data import table as captions_table
from groundvec.jobs import running
from groundvec import parts
from groundvec.provenance import code_hash, digest

ENVIRONMENT = "../envs/groundvec.yaml"

# For the scripts: where the library lies, and the mirror.
os.environ.update(PYTHONPATH=str(workflow.basedir), GROUNDVEC_MIRROR=MIRROR)

RATINGS = config.get("ratings", {})
RATED = f"<experiment>/ratings/{RATINGS.get('source')}.csv"
RATED_TASKS = f"<experiment>/ratings/{RATINGS.get('source')}.tasks.csv"

# Where the files of a training, and those about it, lie.
MODEL = "<experiment>/models/{dataset}/{model}/seed{seed}"

# A rule that can use a GPU asks for one where there is one. On a cluster the profile asks.
GPU = int(shutil.which("nvidia-smi") is not None)


wildcard_constraints:
    dataset="|".join(DATASETS),
    model="|".join(
        sorted(
            {
                re.escape(model)
                for data in DATASETS.values()
                for model in data["models"]
            }
        )
    ),
    seed=r"\d+",
    language="[a-z]+",
    baseline="|".join(RATINGS.get("baselines", ["(?!)"])),


def names(source):
    """A pattern for the names of the data sets from one source."""
    return "|".join(n for n, d in DATASETS.items() if d["source"] == source) or "(?!)"


def dataset_file(name):
    """A pattern: a file of a data set."""
    return f"results/datasets/{{dataset}}/{name}"


def base(wildcards):
    """The data set whose pictures and captions are read: itself, or the one that it is of."""
    return DATASETS[wildcards.dataset].get("of", wildcards.dataset)


def read_file(name):
    """A function for a rule's input: a file of the data set whose captions are read."""
    return lambda wildcards: f"results/datasets/{base(wildcards)}/{name}"


def features_file(wildcards):
    return f"results/features/{base(wildcards)}/{DATASETS[wildcards.dataset]['backbone']}.h5"


def description(wildcards):
    return DATASETS[wildcards.dataset]["models"][wildcards.model]


def text_name(text):
    """The name of a text, with a key of its options if it has any."""
    options = parts.options(text)
    return "-".join([text["name"], *([digest(options)[:8]] if options else [])])


TEXTS = {
    text_name(model["text"]): model["text"]
    for data in DATASETS.values()
    for model in data["models"].values()
}


# The parsers of these texts. Texts that differ in something else share a treebank.
PARSERS = {
    f"trees-{digest(text['parser'])[:8]}": text["parser"]
    for text in TEXTS.values()
    if "parser" in text
}


def treebank_name(text):
    """The name of a text's treebank; nothing for one that reads no trees, or has its own."""
    of_text = [key for key, parser in PARSERS.items() if parser == text.get("parser")]
    return "".join(of_text) if "parses" not in text else ""


def treebank_files(wildcards):
    """The parsed captions that a model reads, by language; none for most models."""
    model = description(wildcards)
    name = treebank_name(model["text"])
    stem = f"results/text/{base(wildcards)}/{name}"
    return [f"{stem}.{language}.conllu.gz" for language in model["languages"] if name]


def treebank_of_ratings(wildcards):
    """The parsed sentences that people rated, if a model reads them as trees."""
    name = treebank_name(description(wildcards)["text"])
    return [f"<experiment>/ratings/{name}.conllu.gz"] if name else []


def treebank_option(wildcards, input):
    return ["--treebanks", *input.treebanks] if input.treebanks else []


def text_treebanks(wildcards):
    name = treebank_name(TEXTS[wildcards.text])
    treebank = f"results/text/{wildcards.dataset}/{name}.{wildcards.language}.conllu.gz"
    return [treebank] if name else []


def text_settings(wildcards):
    """A text and its options, with the files that it names where they lie."""
    text = TEXTS[wildcards.text]
    return {k: public(v) if k in ("vectors", "parses") else v for k, v in text.items()}


def text_sources(wildcards):
    text = text_settings(wildcards)
    files = [text[key] for key in ("vectors", "parses") if key in text]
    return [re.sub(r"\.zip/.*", ".zip", name) for name in files if name != "captions"]


def text_files(wildcards):
    model = description(wildcards)
    stem = f"results/text/{base(wildcards)}/{text_name(model['text'])}"
    return [f"{stem}.{language}.json" for language in model["languages"]]


def code(*sources):
    """A function for a rule's params: the hash of source files, for which only jobs have to wait."""
    return lambda wildcards: code_hash(*sources)


def code_of(script):
    """A function for a rule's params: the hash of a script with the parts of its model."""
    return lambda wildcards: code_hash(script, *parts.files(description(wildcards)))


def draw_option(wildcards):
    counts = DATASETS[wildcards.dataset].get("draw")
    return ["--draw", *map(str, counts)] if counts else []


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
    return ["--weights-file", *input.weights] if input.weights else []


def feature_files(wildcards):
    """The parts of an extraction, or precomputed features from the mirror or from anywhere."""
    data = DATASETS[wildcards.dataset]
    if wildcards.backbone == "precomputed":
        mirrored = os.path.join(MIRROR, data["features"])
        return mirrored if os.path.exists(mirrored) else data["features"]
    stem = f"results/features/{wildcards.dataset}/{wildcards.backbone}"
    return [f"{stem}.part{part}-of-{data['parts']}.h5" for part in range(data["parts"])]


def options(settings):
    """Command line options, a list for `{params...:q}`."""
    return [
        word
        for key, value in settings.items()
        for word in (f"--{key}", "null" if value is None else str(value))
    ]


def pictures_state(wildcards):
    """For a rule's params: changes with the pictures that a table lists."""
    data = DATASETS[wildcards.dataset]
    return captions_table.state(data["table"], data["images"])


def every_model(pattern, datasets):
    """Fill a pattern in for every model and seed of some data sets."""
    return [
        pattern.format(dataset=name, model=model, seed=seed)
        for name in datasets
        for model in DATASETS[name]["models"]
        for seed in DATASETS[name]["seeds"]
    ]


def shown_in(paper):
    """The names of the data sets whose models a paper's tables and figures show."""
    return [name for name, data in DATASETS.items() if paper in data["papers"]]


def rated_folders():
    """What STS and SICK are unpacked to: a mirror's two archives, or the nine public ones."""
    of_mirror = ["sts/STS", "sts/SICK"]
    if all(
        os.path.exists(f"{MIRROR}/{name}.zip") or os.path.exists(f"data/{name}")
        for name in of_mirror
    ):
        return [f"data/{name}" for name in of_mirror]
    public = [name for name in ARCHIVES if name.startswith("sts/")]
    return [f"data/{name}" for name in public if name not in of_mirror]


def tokenised():
    """Whether the rated sentences are tokens with spaces between them."""
    return RATINGS.get("source") == "sts" and RATINGS["tokenizer"] != "none"


def public(name):
    """What the configuration names: in data/ if it is a public file, else a path as it is."""
    return f"data/{name}" if name.startswith(tuple(SOURCES)) else name


def baseline_settings(wildcards):
    settings = RATINGS["baselines"][wildcards.baseline]
    return {
        k: public(v) if k in ("vectors", "state") else v for k, v in settings.items()
    }


def baseline_files(wildcards):
    settings = baseline_settings(wildcards)
    files = [settings[key] for key in ("vectors", "state") if key in settings]
    return [re.sub(r"\.zip/.*", ".zip", name) for name in files]


def baseline_options(wildcards):
    """The command line options of scripts/baseline.py."""
    return options(baseline_settings(wildcards))


def ratings_files(suffix):
    """Scores (.csv) or predictions (.predictions.csv) of all systems; none without ratings."""
    if not RATINGS:
        return []
    models = f"<experiment>/ratings/models/{{dataset}}/{{model}}/seed{{seed}}{suffix}"
    baselines = f"<experiment>/ratings/baselines/{{baseline}}{suffix}"
    return every_model(models, shown_in("merkx_frank_2019")) + expand(
        baselines, baseline=RATINGS["baselines"]
    )


def stem(wildcards, output):
    """For a rule's params: its first output without the suffix."""
    return os.path.splitext(output[0])[0]


def translation_files():
    """Re-ranked translations; none, if nothing is to be translated."""
    settings = config.get("translation")
    return (
        expand(
            "<experiment>/translation/{system}/reranked.{n}.csv",
            system=settings["systems"],
            n=settings["n_best"],
        )
        if settings
        else []
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
