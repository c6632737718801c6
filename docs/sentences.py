"""What the pages say in their sentences, from the files; a test looks for it.

A sentence that is not here was checked by its writer alone.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from groundvec.reporting.claims import read
from groundvec.reporting.verdicts import HOLDS
from groundvec.reporting.write import bracketed

sys.path.insert(0, str(Path(__file__).parent))

from write_results import (
    CLAIMS_32,
    KEPT,
    RELATIONS,
    ROOT,
    TRAINED,
    claims,
    evaluated,
    long_training,
    of_grid,
    of_models,
    of_paper,
)


def sentences() -> dict[str, list[str]]:
    """The parts of sentences that are in each page."""
    pages = [
        of_shipped,
        of_long_training,
        of_best_encoder,
        of_trees,
        of_translations,
        of_benchmarks,
    ]
    found: dict[str, list[str]] = {}
    for said in (each() for each in pages):
        for page, texts in said.items():
            found[page] = found.get(page, []) + texts
    return found


def of_shipped() -> dict[str, list[str]]:
    """What the parts of the shipped vector reach."""
    sts = ("all", "all", "SentEval cosine", "weighted mean")
    half, learned = (f"{evaluated(name)['pearson'][sts]:.1f}" for name in ("counts", "learned"))
    return {
        "README.md": [f"the counted half alone reaches {half} there, the learned half {learned}"],
        "docs/best.md": [f"alone reach {half} on STS 2012-2016", f"not reached: {learned}"],
    }


def of_long_training() -> dict[str, list[str]]:
    """What trainings of 32 epochs reach, beside the paper's network and each other."""
    recalls, ratings = of_grid("flickr8k-epochs")
    means = {
        model: of_models(recalls[recalls["model"] == model], ratings[ratings["model"] == model])
        for model in TRAINED
    }
    sizes = [f"gru-{size}-attention" for size in (256, 512, 1024)]
    sick = [of_paper()[4] - means[model][4] for model in sizes]
    below = [paper - own for paper, own in zip(of_paper()[:2], means[sizes[2]][:2], strict=True)]
    epochs = {model: read(KEPT / file) for model, file in CLAIMS_32.items()}
    gains = [
        -of[of["claim"].str.startswith("The semantic score falls")]["difference"].item()
        for of in (epochs[model] for model in sizes)
    ]
    larger = epochs[sizes[2]][epochs[sizes[2]]["claim"].str.contains("larger embeddings")]
    [by] = bracketed(larger["difference"], larger["low"], larger["high"])
    won = pd.read_csv(KEPT / "flickr8k-epochs" / "section_4_3.csv")
    won = won[won["a"] == long_training()[0]].set_index("b")[["a_interval", "b_interval"]]
    beside_paper, beside_bag = (won.loc[f"{of} (reported)"] for of in ("char-GRU Flickr8k", "BOW"))
    times = {name: training_minutes(name) for name in ("flickr8k-seeds", "flickr8k-epochs")}
    longest = times["flickr8k-epochs"].groupby("model").max()
    four = times["flickr8k-seeds"].sum()
    hours = times["flickr8k-epochs"].sum() / 60
    return {
        "docs/merkx-frank-2019.md": [
            f"On SICK they are {sick[0]:.0f}, {sick[1]:.0f} and {sick[2]:.1f} points lower",
            f"The GRU of 1024 is {below[0]:.0f} and {below[1]:.0f} points below it",
            f"The trainings took {four:.0f} minutes",
            f"the GRU of 1024 took {longest['gru-1024-attention']:.0f} minutes",
        ],
        "docs/results.md": [
            f"it gains {gains[0]:.1f} (GRU 256), {gains[1]:.1f} (GRU 512) and {gains[2]:.1f}",
            f"one of 1024 is better than that of 512 by {by}",
            f"inside its interval on {26 - beside_paper.sum():.0f} of 26 subtasks",
            "better on {:.0f} of 26 subtasks and worse on {:.0f}".format(*beside_bag),
        ],
        "docs/reproduce.md": [
            f"{four:.0f} minutes of training",
            f"{len(times['flickr8k-epochs'])} of the 33 trainings took {hours:.1f} hours",
        ],
    }


def training_minutes(experiment: str) -> pd.Series:
    """The minutes of each training, by model and seed."""
    table = pd.read_csv(KEPT / experiment / "history.csv")
    return table.groupby(["model", "seed"])["seconds"].max() / 60


def of_best_encoder() -> dict[str, list[str]]:
    """What config/best.yaml reaches, and what its GRU over words gives."""
    table = pd.read_csv(KEPT / "best" / "ablation.csv").query("dataset == 'flickr8k'")
    best, bag = (table[table["model"] == model] for model in ("best", "bag"))
    reached = bracketed(best["value"], best["low"], best["high"])[:2]
    ends = (bag[column] for column in ("difference", "difference_high", "difference_low"))
    value, low, high = (-column for column in ends)
    gained = bracketed(value, low, high)[:2]
    return {
        "docs/results.md": [
            "not decided: {}, the paper 70.5; captions: {}, the paper 79.3".format(*reached)
        ],
        "docs/best.md": [f"({reached[0]})", "gives `best` {} and {} points".format(*gained)],
    }


def of_trees() -> dict[str, list[str]]:
    """How many of Socher et al.'s (2014) comparisons hold."""
    margin, hinge = "max margin, inner product", "mean hinge, cosine"
    runs = [("dt-rnn", margin), ("dt-rnn-variants", margin), ("dt-rnn", hinge)]
    relations = [
        holding(of[of["claim"].eq(RELATIONS) & of["condition"].eq(objective)])
        for experiment, objective in runs
        for of in [claims(experiment)]
    ]
    table = claims("dt-rnn")
    counts = {
        bag: [
            f"{sum(holding(of))} of {len(of)}"
            for objective in (margin, hinge)
            for of in [
                table[table["claim"].eq(f"Trees beat the {bag}") & table["condition"].eq(objective)]
            ]
        ]
        for bag in ("bag", "centered bag")
    }
    return {
        "docs/results.md": [
            "Margin: holds in {}, and in {}.".format(*relations[0]),
            "with the same learning rate: in {}, and in {}.".format(*relations[1]),
            "Mean hinge: in {}, and in {}".format(*relations[2]),
            "holds in {} under the margin and in {} under the mean hinge".format(*counts["bag"]),
            "with centered vectors in {}, and in {}".format(*counts["centered bag"]),
        ],
    }


def holding(table: pd.DataFrame) -> list[int]:
    """How many comparisons hold on all of Flickr8k, and on draws of it."""
    holds = table[table["verdict"] == HOLDS].groupby("dataset").size()
    return [int(holds.get(name, 0)) for name in ("flickr8k", "flickr8k-1000")]


def of_translations() -> dict[str, list[str]]:
    """How many of Calixto & Liu's (2017) comparisons hold."""
    table = read(KEPT / "mlmme" / "claims.csv")
    table["holds"] = table["verdict"] == HOLDS
    groups = table.groupby("claim")["holds"].agg(["sum", "size"])
    images, ratings, adequate = (
        "{} of {}".format(*groups.loc[claim])
        for claim in (
            "Several languages find images better",
            "Several languages help with the ratings of image descriptions",
            "Re-ranking by MLMME gains adequacy",
        )
    )
    both = table[table["claim"] == "Re-ranking by MLMME is better than by VSE"]
    both = both.sort_values("p", kind="stable")
    corrected = (both["p"] * np.arange(len(both), 0, -1)).cummax()  # Holm (1979)
    both["after"] = (corrected < 0.05) & (both["difference"] > 0)
    metrics = both.groupby("measure")[["holds", "after"]].sum()
    each = both["measure"].value_counts()
    meteor, bleu = (f"{metrics['holds'][of]} of {each[of]}" for of in ("METEOR", "BLEU"))
    after = metrics["after"]
    return {
        "docs/results.md": [
            f"holds in {images} comparisons",
            f"holds in {ratings}, 4 of them of characters",
            f"holds in {adequate}, by METEOR",
            f"METEOR: holds in {meteor}; BLEU: in {bleu}",
            f"over all {len(both)}: {after['METEOR']} and {after['BLEU']}",
        ],
        "docs/calixto-liu-2017.md": [
            f"in {both['holds'].sum()} of {len(both)} comparisons, in {after.sum()} after Holm"
        ],
    }


def of_benchmarks() -> dict[str, list[str]]:
    """What fewer crops cost in a search, and how long features take."""
    search, features = (
        json.loads((ROOT / "benchmarks" / "results" / f"{stage}.json").read_text())["rows"]
        for stage in ("search", "features")
    )
    found = {row["crops"]: row for row in search if "crops" in row}
    seconds = {row["what"].partition(", cpu")[0]: row["ours"] for row in features}
    resnet, lite = (seconds[f"{name}, float32"] for name in ("resnet152", "efficientnet_lite0"))
    one, two, ten = (f"{found[crops]['caption_to_image_r10']:.1f}%" for crops in (1, 2, 10))
    times = [f"{found[crops]['ours']:.2f}" for crops in (1, 2, 10)]
    return {
        "docs/encoder.md": [
            "a picture takes {}, {} and {} s with one, two and ten".format(*times),
            f"they find {one}, {two} and {ten} of the right pictures",
        ],
        "docs/reproduce.md": [
            f"{8000 * resnet / 3600:.0f} hours (an estimate: {resnet:.2f} s a picture)",
            f"{8000 * lite / 60:.0f} minutes (an estimate: {lite:.3f} s a picture)",
        ],
    }
