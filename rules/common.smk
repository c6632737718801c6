"""What several rules need: the configuration of a data set, and lists of files."""

import json
import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path
from threading import Timer

from groundvec.data import table as captions_table
from groundvec.jobs import running
from groundvec import papers, parts
from groundvec.provenance import code_hash, digest

ENVIRONMENT = "../envs/groundvec.yaml"

# For the rules: where the scripts are. For the scripts: where the library is, before what the
# user's own path has, and the mirror.
PATHS = filter(None, [HOME, os.environ.get("PYTHONPATH")])
os.environ.update(
    GROUNDVEC=HOME, PYTHONPATH=os.pathsep.join(PATHS), GROUNDVEC_MIRROR=MIRROR
)

RATINGS = config.get("ratings", {})
RATED = f"<experiment>/ratings/{RATINGS.get('source')}.csv"
RATED_TASKS = f"<experiment>/ratings/{RATINGS.get('source')}.tasks.csv"

# Where the files of a training, and those about it, lie; and what it finds.
MODEL = "<experiment>/models/{dataset}/{model}/seed{seed}"
RETRIEVAL = "<experiment>/retrieval/{dataset}/{model}/seed{seed}"
RANKS = f"{RETRIEVAL}.ranks.csv"
# A model's scores by the ratings, with and without the pairs that hold a training caption.
OVERLAP = "<experiment>/ratings/models/{dataset}/{model}/seed{seed}.overlap.csv"

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
    language="[a-z+]+",  # of a shared text, several: en+de
    baseline="|".join(RATINGS.get("baselines", ["(?!)"])),


def own(name):
    """The path of a file of this project, from the current folder."""
    return os.path.relpath(os.path.join(HOME, name))


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
    """The features of a data set; of several networks, their names are joined by `+`."""
    return f"results/features/{base(wildcards)}/{DATASETS[wildcards.dataset]['backbone']}.h5"


def description(wildcards):
    return DATASETS[wildcards.dataset]["models"][wildcards.model]


def training_key(dataset, model, seed):
    """What a training is made of, by whatever names."""
    data = DATASETS[dataset]
    of = data.get("of", dataset)
    return digest(of, data["models"][model], int(seed), data.get("draw"))


FIRST = {  # the first names of each training
    training_key(dataset, model, seed): (dataset, model, seed)
    for dataset, data in reversed(DATASETS.items())
    for model in reversed(data["models"])
    for seed in data["seeds"]
}


def twin(wildcards):
    """The model.json of the same training by an earlier name, which this one then takes over."""
    key = training_key(wildcards.dataset, wildcards.model, wildcards.seed)
    own = (wildcards.dataset, wildcards.model, int(wildcards.seed))
    dataset, model, seed = FIRST.get(key, own)
    if (dataset, model, seed) == own:
        return []
    return f"{MODEL}/model.json".format(dataset=dataset, model=model, seed=seed)


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
    reads = "parser" in text and "parses" not in text
    return f"trees-{digest(text['parser'])[:8]}" if reads else ""


def treebank_files(wildcards):
    """The parsed captions that a model reads, by language; none for most models."""
    model = description(wildcards)
    name = treebank_name(model["text"])
    stem = f"results/text/{base(wildcards)}/{name}"
    return [f"{stem}.{language}.conllu.gz" for language in model["languages"] if name]


def every_treebank(wildcards):
    """The parsed captions that the models of a data set read."""
    stem = f"results/text/{base(wildcards)}"
    models = DATASETS[wildcards.dataset]["models"].values()
    return sorted(
        {
            f"{stem}/{treebank_name(model['text'])}.{language}.conllu.gz"
            for model in models
            if treebank_name(model["text"])
            for language in model["languages"]
        }
    )


def parses_file(wildcards):
    """The constituency trees that a model reads, if it names a file of them."""
    text = description(wildcards)["text"]
    return public(text["parses"]) if "parses" in text else []


def treebank_of_ratings(wildcards):
    """The parsed sentences that people rated, if a model reads them as trees."""
    name = treebank_name(description(wildcards)["text"])
    return [f"<experiment>/ratings/{name}.conllu.gz"] if name else []


def treebank_option(wildcards, input):
    return ["--treebanks", *input.treebanks] if input.treebanks else []


def text_treebanks(wildcards):
    name = treebank_name(TEXTS[wildcards.text])
    stem = f"results/text/{wildcards.dataset}/{name}"
    languages = wildcards.language.split("+")
    return [f"{stem}.{language}.conllu.gz" for language in languages if name]


def text_settings(wildcards):
    """A text and its options, with the files that it names where they lie."""
    text = TEXTS[wildcards.text]
    files = parts.named_files("text", text)
    return text | {option: public(name) for option, name in files.items()}


def text_sources(wildcards):
    files = parts.named_files("text", text_settings(wildcards))
    return [re.sub(r"\.zip/.*", ".zip", name) for name in files.values()]


def text_files(wildcards):
    model = description(wildcards)
    stem = f"results/text/{base(wildcards)}/{text_name(model['text'])}"
    languages = model["languages"]
    if model.get("shared"):
        languages = ["+".join(languages)] * len(languages)
    return [f"{stem}.{language}.json" for language in languages]


def code(*sources):
    """A function for a rule's params: the hash of source files, for which only jobs have to wait."""
    return lambda wildcards: code_hash(*sources)


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


def features_of_each(wildcards):
    """The features of several networks, a file each."""
    names = wildcards.backbones.split("+")
    return [f"results/features/{wildcards.dataset}/{name}.h5" for name in names]


def options(settings):
    """Command line options, a list for `{params...:q}`."""
    return [
        word
        for key, value in settings.items()
        for word in (
            f"--{key.replace('_', '-')}",
            "null" if value is None else str(value),
        )
    ]


def pictures_state(wildcards):
    """For a rule's params: changes with the pictures that a table lists."""
    data = DATASETS[wildcards.dataset]
    return captions_table.state(data["table"], data["images"])


def karpathy_file(wildcards):
    """Karpathy's JSON, or the archive that has it."""
    return re.sub(r"\.zip/.*", ".zip", public(DATASETS[wildcards.dataset]["json"]))


def karpathy_options(wildcards):
    """The options of scripts/dataset.py that say what to read of Karpathy's."""
    data = DATASETS[wildcards.dataset]
    keys = [key for key in ("images", "captions") if key in data]
    return options({"json": public(data["json"]), **{key: data[key] for key in keys}})


def multi30k_flickr8k(wildcards):
    """Flickr8k's pictures and text, where a Multi30k has its pictures from there."""
    of_flickr8k = "pictures" in DATASETS[wildcards.dataset]
    files = ["data/flickr8k/Flicker8k_Dataset", "data/flickr8k/Flickr8k_text.zip"]
    return files if of_flickr8k else []


def multi30k_pictures(wildcards, input):
    """The options of scripts/dataset.py that say where a Multi30k's pictures are."""
    if input.flickr8k:
        pictures, text = input.flickr8k
        return ["--images", pictures, "--flickr8k", text]
    return ["--images", DATASETS[wildcards.dataset]["images"]]


def every_model(pattern, datasets, keep=lambda description: True):
    """Fill a pattern in for every model and seed of some data sets, or for some models of them."""
    return [
        pattern.format(dataset=name, model=model, seed=seed)
        for name in datasets
        for model, description in DATASETS[name]["models"].items()
        for seed in DATASETS[name]["seeds"]
        if keep(description)
    ]


def in_english(description):
    return "en" in description["languages"]


# The papers that show models of this experiment, by name, in the order that data sets name them.
PAPERS = {
    name: papers.known()[name] for data in DATASETS.values() for name in data["papers"]
}


def shown_in(paper):
    """The names of the data sets whose models a paper's tables and figures show."""
    return [name for name, data in DATASETS.items() if paper in data["papers"]]


def origin(wildcards):
    """Where a public file comes from and how large it is, for a dry run to say."""
    mirrored = os.path.join(MIRROR, wildcards.file)
    if MIRROR and os.path.exists(mirrored):
        return f"the mirror ({mirrored})"
    source = SOURCES[wildcards.file]
    size = source.get("size")
    said = f"{size / 1e6:,.1f} MB" if size else "size not known"
    return f"{source['urls'][0]} ({said})"


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
    """A baseline and its options, with the files that it names where they lie."""
    baseline = RATINGS["baselines"][wildcards.baseline]
    files = parts.named_files("baselines", baseline, "encoder")
    return baseline | {option: public(name) for option, name in files.items()}


def baseline_files(wildcards):
    settings = baseline_settings(wildcards)
    files = parts.named_files("baselines", settings, "encoder")
    return [re.sub(r"\.zip/.*", ".zip", name) for name in files.values()]


def baseline_options(wildcards):
    """The command line option of scripts/baseline.py."""
    return ["--baseline", json.dumps(baseline_settings(wildcards), sort_keys=True)]


def baseline_code(script):
    """A function for a rule's params: the hash of a script and of the baseline that it runs."""
    return lambda wildcards: code_hash(
        script, parts.file("baselines", baseline_settings(wildcards)["encoder"])
    )


def gpu_of_baseline(wildcards):
    encoder = baseline_settings(wildcards)["encoder"]
    return GPU * parts.options_schema("baselines", encoder).get("gpu", False)


def few_epochs(wildcards):
    """For a rule's params: to rate few epochs, where no figure shows them all."""
    shown = DATASETS[wildcards.dataset]["papers"]
    return [] if any(PAPERS[paper].every_epoch for paper in shown) else ["--few"]


def rated(paper):
    """The names of the data sets of a paper whose models are rated, if there are ratings.

    Draws stand beside the whole data set to be compared with numbers of a paper. Where it has none
    of ratings, they are rated only if it is shown nothing else.
    """
    shown = shown_in(paper) if RATINGS else []
    whole = [name for name in shown if "draw" not in DATASETS[name]]
    return shown if PAPERS[paper].rates_draws else whole or shown


def ratings_of_models(suffix, paper):
    """Scores (.csv) or predictions (.predictions.csv) of a paper's models; none without ratings.

    The rated sentences are English, so that models without it have none.
    """
    models = f"<experiment>/ratings/models/{{dataset}}/{{model}}/seed{{seed}}{suffix}"
    return every_model(models, rated(paper), in_english)


def ratings_files(suffix, paper):
    """Those of a paper's models, and of the baselines."""
    baselines = f"<experiment>/ratings/baselines/{{baseline}}{suffix}"
    return ratings_of_models(suffix, paper) + expand(
        baselines, baseline=RATINGS.get("baselines", [])
    )


def scores_shown(wildcards):
    """A model's correlations with ratings, if its papers show them."""
    path = OVERLAP.format(**wildcards)
    shown_by = DATASETS[wildcards.dataset]["papers"]
    shown = any(path in ratings_of_models(".overlap.csv", paper) for paper in shown_by)
    return [path] if shown else []


def stem(wildcards, output):
    """For a rule's params: its first output without the suffix."""
    return os.path.splitext(output[0])[0]


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


def look_again(scheduler, seconds):
    """Wake the scheduler after a while, for which it waits once.

    Snakemake 9.27 starts a clock after every job, each of which starts itself anew as long as jobs
    are ready: after some hundred short jobs looking for free cores takes half of one.
    """

    def ring():
        scheduler.clock_runs = False
        scheduler._open_jobs.release()

    if not getattr(scheduler, "clock_runs", False):
        scheduler.clock_runs = True
        Timer(seconds, ring).start()


with suppress(ImportError):  # a private part of Snakemake, which may move
    from snakemake.scheduling.job_scheduler import JobScheduler

    if hasattr(JobScheduler, "_schedule_reevalutation"):
        JobScheduler._schedule_reevalutation = look_again
