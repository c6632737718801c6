"""The schemas of result files that only the study has, as types.

`groundvec.results.schemas` has the library's.
"""

from typing import Annotated

import pandas as pd

from groundvec.results.frames import Schema
from groundvec.results.schemas import (
    DATASET,
    ORIGIN,
    SEED,
    SHORT,
    SPLITS,
    SYSTEM,
    TRAINING,
    correlations,
    count,
    number,
    percent,
    share,
    text,
)

Models = Annotated[
    pd.DataFrame,
    Schema(
        "model.json of scripts/train.py, read by `results.read_models`",
        "one row per training; further columns are its description, such as `encoder.name`",
        tuple(TRAINING),
        **TRAINING,
        data_source=text("source of the data set, such as flickr8k"),
        test_to_train=number("test images per training image if seeds draw them, or 0", low=0),
        snapshots=text("list of the epochs that end a cycle"),
        folder=text("folder of model.json"),
        network=text("name of the encoder in tables, such as GRU or LSTM (dot)"),
        pooling=text("attention, max or empty", empty=True),
        size=count("size of the encoder", empty=True),
    ),
]

Measures = Annotated[
    pd.DataFrame,
    Schema(
        "returned by `measures.semantic_measures`",
        "one row per system and measure",
        (*SHORT, "measure"),
        **SYSTEM,
        measure=text("such as STS 12-16, SICK-R or `semantic score`, the mean of the others"),
        task=text("task, or `all`; empty for the semantic score", empty=True),
        **{name: column for name, column in correlations().items() if "pearson" in name},
    ),
]

# Translation

Parallel = Annotated[
    pd.DataFrame,
    Schema(
        "parallel.csv of scripts/dataset.py",
        "one row per sentence and its translation",
        split=text("split", SPLITS),
        image_id=text("image; empty if the data set has no picture of it", empty=True),
        en=text("English sentence"),
        de=text("German sentence"),
    ),
]
LIST = {
    "n_best": count("length of the lists", low=1),
    "system": text("name of the translation system"),
}
TranslatorHistory = Annotated[
    pd.DataFrame,
    Schema(
        "history.csv of scripts/translator.py",
        "one row per epoch",
        ("system", "seed", "epoch"),
        system=LIST["system"],
        seed=SEED,
        epoch=count("epoch", low=1),
        step=count("batches so far"),
        loss=number("mean training loss of the epoch"),
        dev_bleu=percent("BLEU of greedy translations of the development sentences"),
        sentences_per_second=number("training speed", unit="1/s", low=0, empty=True),
        seconds=number("training time so far", unit="s", low=0),
        **ORIGIN,
        best=text("whether these are the weights that are kept", ("True", "False")),
    ),
]
Reranked = Annotated[
    pd.DataFrame,
    Schema(
        "reranked.csv of scripts/rerank.py",
        "one row per re-ranker and metric, of the test lists",
        ("n_best", "system", "reranker", "metric"),
        **LIST,
        reranker=text("model, `baseline` for the order of the system, `length`, or `oracle`"),
        metric=text("metric", ("bleu", "meteor", "ter")),
        score=number("score; TER may be above 100", unit="percent", low=0, empty=True),
        **{
            f"p_{key}": share(f"p of the difference to {other} (randomization)", empty=True)
            for key, other in {
                "baseline": "the baseline",
                "length": "re-ranking by length",
                "vse": "the first model of pictures only",
                "text": "the first model of text only (β = 0)",
            }.items()
        },
        signature=text("settings and version of the metric"),
        **ORIGIN,
    ),
]
Translations = Annotated[
    pd.DataFrame,
    Schema(
        "translations.csv of scripts/rerank.py",
        "one row per test sentence and re-ranker",
        ("id", "reranker"),
        id=count("number of the sentence, from 0"),
        image_id=text("image; empty if there is none", empty=True),
        source=text("sentence to translate"),
        reference=text("translation by a person"),
        reranker=text("as in `Reranked`"),
        hypothesis=text("translation that is first", empty=True),
    ),
]
RerankWeights = Annotated[
    pd.DataFrame,
    Schema(
        "weights.csv of scripts/rerank.py",
        "one row per re-ranker and feature of its linear model",
        ("n_best", "system", "reranker", "feature"),
        **LIST,
        reranker=text("as in `Reranked`"),
        feature=text("feature"),
        weight=number("weight, tuned on the development lists"),
    ),
]

# Claims

Claims = Annotated[
    pd.DataFrame,
    Schema(
        "claims.csv of scripts/report.py, also returned by `claims.decide`",
        "one row per claim of a paper and condition",
        ("paper", "claim", "dataset", "condition", "measure", "worse", "better"),
        paper=text("folder of the paper"),
        claim=text("claim, as a sentence"),
        dataset=DATASET,
        condition=text("what both systems have in common, such as the language", empty=True),
        measure=text("measure of the difference"),
        worse=text("system that the claim calls worse", empty=True),
        better=text("system that it calls better", empty=True),
        seeds=count("number of seeds", low=1),
        reported=number("difference that the paper reports", empty=True),
        difference=number("mean difference, positive where the claim holds"),
        low=number("lower end of its 95% interval", empty=True),
        high=number("upper end", empty=True),
        p=share("p of a test, of one seed", empty=True),
        verdict=text("whether the claim holds", ("holds", "does not hold", "not decided")),
        of_seeds=text("difference of each seed; empty if it was not kept", empty=True),
        of_items=number("variance of their mean over test items", low=0, empty=True),
        test_to_train=number("as in `Models`", low=0, empty=True),
        pooled_variance=number("variance over seeds elsewhere, of one seed", low=0, empty=True),
        pooled_freedom=count("its degrees of freedom", low=1, empty=True),
    ),
]
