"""The schema of each result file, as a type: `History` is a data frame of history.csv.

An annotation `history: History` tells which columns a data frame has. `groundvec.results.frames`
checks them when a file is read and when it is written. docs/reference.md has these tables.
"""

from functools import partial
from typing import Annotated

import pandas as pd

from groundvec.results.frames import Column, Schema

CUTOFFS = (1, 5, 10)  # of R@N
SPLITS = ("train", "dev", "test")
BETWEEN = ("caption_to_image", "image_to_caption")  # between captions and images
DIRECTIONS = (*BETWEEN, "caption_to_caption")
TRAINED = ("snapshot", "ensemble")
BASELINE = ("baseline",)
CHANCE = ("chance",)
QUERYBANK = "querybank"
WHOLE = ("mean", "weighted mean", "concatenated")  # statistics of several subtasks

text = Column
count = partial(Column, dtype=int, low=0)
number = partial(Column, dtype=float)
percent = partial(number, unit="percent", low=0, high=100)
correlation = partial(number, low=-1, high=1)
share = partial(number, low=0, high=1)

# Columns that several files have.
DATASET = text("data set")
SEED = count("seed of the weights and the batches")
TRAINING = {"dataset": DATASET, "model": text("name of the model's description"), "seed": SEED}
ORIGIN = {
    "commit": text("commit of the code; `-dirty` with local changes", empty=True),
    "versions": text("versions of Python and torch", empty=True),
    "machine": text("processor and number of cores, or GPU", empty=True),
    "slurm_job": text("number of the SLURM job", empty=True),
}
PROVENANCE = {"configuration": text("key of the training", empty=True), **ORIGIN}
TASK = {"task": text("task, such as STS 2012"), "subtask": text("subtask, or `all`")}
DIRECTION = text("query and candidate", DIRECTIONS)
LANGUAGE = text("language of the captions; `en-de` if English captions find German ones")
EPOCHS = "epoch of the snapshot, or `4+8` for the ensemble of two"
RANK = "rank, from 1, of the right item; the best one, if there are several"


# Recalls and median ranks, which papers report.
RECALLS: dict[str, Column] = {}
for k in CUTOFFS:
    RECALLS[f"r{k}"] = percent(f"R@{k}")
    RECALLS[f"r{k}_ci"] = percent("half the width of its 95% interval, 1.96 √(p(1-p)/n)")
RECALLS["median_rank"] = number("median rank", low=1)
# The metrics that `groundvec.evaluation.retrieval.scored` computes.
METRICS = {
    **RECALLS,
    "mean_rank": number("mean rank", low=1),
    "mean_rank_low": number("lower end of its 95% interval (bootstrap over images)", low=1),
    "mean_rank_high": number("upper end", low=1),
}


def correlations(prefix: str = "") -> dict[str, Column]:
    """Declare the columns of correlations and their intervals.

    Args:
        prefix: `unseen_` for the correlations over unseen pairs. All pairs may be seen.
    """
    without = ", without the seen pairs" if prefix else ""
    empty = bool(prefix)
    columns = {}
    measures = {
        "pearson": ("Pearson's r", "Fisher"),
        "spearman": ("Spearman's rho", "Bonett & Wright"),
    }
    for measure, (title, source) in measures.items():
        columns[f"{prefix}{measure}"] = correlation(f"{title}{without}", empty=empty)
        for end, adjective in (("low", "lower"), ("high", "upper")):
            description = f"{adjective} end of its 95% interval ({source})"
            columns[f"{prefix}{measure}_{end}"] = correlation(description, empty=empty)
    return columns


# Data sets and ratings

Captions = Annotated[
    pd.DataFrame,
    Schema(
        "captions.csv of scripts/dataset.py",
        "one row per caption",
        image_id=text("image"),
        language=text("ISO 639-1 code"),
        split=text("split of its image; `more` if there is none", (*SPLITS, "more")),
        caption=text("sentence as it is in the data set"),
    ),
]
Images = Annotated[
    pd.DataFrame,
    Schema(
        "images.csv of scripts/dataset.py",
        "one row per image",
        ("image_id",),
        image_id=text("image"),
        split=text("split; `pairs` if parallel.csv alone has its sentences", (*SPLITS, "pairs")),
        path=text("file, absolute or relative to the working directory"),
        sha256=text("SHA-256 sum of the file, in hexadecimal digits"),
    ),
]
Ratings = Annotated[
    pd.DataFrame,
    Schema(
        "ratings.csv of scripts/ratings.py",
        "one row per rated pair of sentences",
        **TASK,
        split=text("split", SPLITS),
        sentence_a=text("first sentence, tokenized"),
        sentence_b=text("second sentence, tokenized"),
        rating=number("mean rating of their similarity", low=0, high=5),
    ),
]
Tasks = Annotated[
    pd.DataFrame,
    Schema(
        "tasks.csv of scripts/ratings.py",
        "one row per subtask",
        ("task", "subtask"),
        **TASK,
        source=text("where its sentences come from", empty=True),
        **{split: count(f"{split} pairs") for split in SPLITS},
        dropped=count("pairs without a rating, which are left out"),
    ),
]

# Training

History = Annotated[
    pd.DataFrame,
    Schema(
        "history.csv of scripts/train.py",
        "one row per epoch; epoch 0 is the untrained model",
        (*TRAINING, "epoch"),
        **TRAINING,
        epoch=count("epoch"),
        step=count("batches so far"),
        loss=number("mean training loss of the epoch", empty=True),
        learning_rate=number("learning rate at its end", low=0, empty=True),
        **{
            f"{direction}_r{k}": percent(f"development R@{k}, {direction.replace('_', ' ')}")
            for direction in BETWEEN
            for k in CUTOFFS
        },
        dev_recall=percent("mean of both R@10"),
        pairs_per_second=number("training speed", unit="1/s", low=0, empty=True),
        seconds=number("training time so far", unit="s", low=0),
        **ORIGIN,
    ),
]

# Retrieval

Retrieval = Annotated[
    pd.DataFrame,
    Schema(
        "STEM.csv of scripts/retrieval.py",
        "one row per system, split, test set and direction",
        (*TRAINING, "language", "kind", "epochs", "split", "test_set", "direction"),
        **TRAINING,
        split=text("dev or test", SPLITS[1:]),
        language=LANGUAGE,
        kind=text(
            "`chance` is a random ranking; `querybank` is the ensemble with a bank",
            (*CHANCE, *TRAINED, QUERYBANK),
        ),
        epochs=text(EPOCHS, empty=CHANCE),
        test_set=text("number of images, such as 1k; `1k-folds` for the mean over parts of 1k"),
        direction=DIRECTION,
        **METRICS,
        queries=count("number of queries", low=1),
        bank=count("training images in the bank", low=1, empty=(*CHANCE, *TRAINED)),
        inverse_temperature=number("of the bank's normalizers", empty=(*CHANCE, *TRAINED)),
        **PROVENANCE,
    ),
]
QueryRanks = Annotated[
    pd.DataFrame,
    Schema(
        "STEM.ranks.csv of scripts/retrieval.py",
        "one row per test query and system",
        **TRAINING,
        language=LANGUAGE,
        kind=text("snapshot, ensemble, or ensemble with a bank", (*TRAINED, QUERYBANK)),
        epochs=text(EPOCHS),
        direction=DIRECTION,
        image=count("row of the query's image, from 0"),
        rank=count(RANK, low=1),
    ),
]

# Ratings of systems

SYSTEM = {
    "system": text("name: dataset/model/seedN, or the baseline's"),
    "dataset": text("data set", empty=BASELINE),
    "model": text("name of the model's description", empty=BASELINE),
    "seed": count("seed of the training", empty=BASELINE),
    "kind": text("snapshot, ensemble or baseline", (*TRAINED, *BASELINE)),
    "epochs": text(EPOCHS, empty=BASELINE),
}
SHORT = {name: SYSTEM[name] for name in ("system", "kind", "epochs")}
SCORED = {
    **TASK,
    "statistic": text(
        "`correlation` for one subtask; how they are joined for several", ("correlation", *WHOLE)
    ),
    "method": text(
        "prediction: cosine of the vectors, or the classifier's grade", ("cosine", "classifier")
    ),
    "pairs": count("number of test pairs", low=1),
    **correlations(),
}
PREDICTED = {
    "pair": count("row of the pair in ratings.csv, from 0"),
    **TASK,
    "rating": number("people's rating", low=0, high=5),
    "cosine": correlation("cosine of the two vectors"),
    "classifier": number("grade by the classifier of a task with training pairs", empty=True),
}
SCORE_KEYS = (*SHORT, "task", "subtask", "statistic", "method")
Scores = Annotated[
    pd.DataFrame,
    Schema(
        "STEM.csv of scripts/rate.py and scripts/baseline.py",
        "one row per system, subtask, statistic and method",
        SCORE_KEYS,
        **SYSTEM,
        **SCORED,
        encoder=text("encoder of a baseline, such as trigrams", empty=True),
        **PROVENANCE,
    ),
]
Overlap = Annotated[
    pd.DataFrame,
    Schema(
        "STEM.overlap.csv of scripts/overlap.py",
        "one row per row of `Scores` of a trained model; a pair is seen if one of its sentences is "
        "a training caption",
        SCORE_KEYS,
        **SHORT,
        **SCORED,
        seen=count("seen pairs"),
        seen_both=count("seen pairs of two training captions"),
        **correlations("unseen_"),
        **TRAINING,
        **PROVENANCE,
    ),
]
Predictions = Annotated[
    pd.DataFrame,
    Schema(
        "STEM.predictions.csv of scripts/rate.py and scripts/baseline.py",
        "one row per system and test pair",
        (*SHORT, "pair"),
        **SHORT,
        **PREDICTED,
    ),
]
RatedPairs = Annotated[
    pd.DataFrame,
    Schema(
        "read by `groundvec evaluate compare`, which `--predictions` writes",
        "one row per test pair",
        ("pair",),
        **PREDICTED,
    ),
]
FoundRanks = Annotated[
    pd.DataFrame,
    Schema(
        "read by `groundvec evaluate compare`, which `--ranks` writes",
        "one row per query",
        test_set=text("number of images, such as 1k"),
        direction=text("query and candidate", BETWEEN),
        image=count("row of the query's image, from 0"),
        rank=count(RANK, low=1),
    ),
]
