"""What the pages say in their sentences, from the files; a test looks for it.

A sentence that is not here was checked by its writer alone.
"""

import json
import sys
from pathlib import Path

import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.evaluation.seeds import t_interval
from groundvec.reporting.claims import read
from groundvec.reporting.verdicts import HOLDS
from groundvec.reporting.write import bracketed

sys.path.insert(0, str(Path(__file__).parent))

from write_results import (
    CLAIMS_32,
    KEPT,
    PAPER,
    REACHED,
    RELATIONS,
    ROOT,
    TRAINED,
    claims,
    evaluated,
    long_training,
    of_grid,
    of_models,
    of_paper,
    training_minutes,
)


def _bracketed(value: float, low: float, high: float) -> str:
    [text] = bracketed([value], [low], [high])
    return text


def sentences() -> dict[str, list[str]]:
    """The parts of sentences that are in each page."""
    pages = [
        of_shipped,
        of_development_pairs,
        of_long_training,
        of_first_epochs,
        of_sizes,
        of_best_encoder,
        of_characters,
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
    sick = ("SICK", "Relatedness", "SentEval classifier", "correlation")
    stsb = ("STS-B", "STS 12-16", "SentEval classifier", "correlation")
    counts, learned, whole = (
        evaluated(name)["pearson"] for name in ("counts", "learned", "flickr8k-v3")
    )
    half, pictured = f"{counts[sts]:.1f}", f"{learned[sts]:.1f}"
    gains = [f"from {learned[key]:.1f} to {whole[key]:.1f} on" for key in (sick, stsb, sts)]
    trigrams = evaluated("trigrams")["pearson"]
    cosine = [
        f"{trigrams[(task, subtask, 'SentEval cosine', 'correlation')]:.1f}"
        for task, subtask in (("STS-B", "STS 12-16"), ("SICK", "Relatedness"))
    ]
    return {
        "README.md": [
            f"the counted half alone reaches {half} there, the learned half {pictured}",
            f"the learned half alone reaches {learned[sick]:.1f}",
            "trigrams have {} on STS-B and {} on SICK".format(*cosine),
        ],
        "docs/results.md": ["character trigrams have {} and {} there".format(*cosine)],
        "docs/best.md": [
            f"alone reach {half} on STS 2012-2016",
            f"not reached: {pictured}",
            "raise seed 2 {} SICK and {} STS-B, by the classifier, and {}".format(*gains),
            f"without them SICK is {learned[sick]:.1f}",
        ],
        "groundvec/pretrained/flickr8k-v3/README.md": [
            f"Pearson's r is {learned[sick] / 100:.3f} on SICK and {learned[stsb] / 100:.3f} on "
            f"STS-B by the classifier, and {learned[sts] / 100:.3f} in the mean by cosine"
        ],
    }


def of_development_pairs() -> dict[str, list[str]]:
    """What the shipped encoder reaches without the pairs that it was chosen by."""
    table = pd.read_csv(KEPT / "evaluate" / "development.csv")
    [row] = table[table["task"].eq("all") & table["statistic"].eq("weighted mean")].to_dict(
        "records"
    )
    ends = [row[f"unseen_pearson{end}"] for end in ("", "_low", "_high")]
    text = _bracketed(*(100 * end for end in ends))
    counted = f"{row['development']:,} of STS-B's 1,500 development pairs are test pairs"
    value, low, high = ends
    return {
        "docs/best.md": [
            counted,
            f"has {text} on STS 2012-2016, with them {100 * row['pearson']:.1f}",
        ],
        "groundvec/pretrained/flickr8k-v3/README.md": [
            f"{row['development']:,} of 1,500 are test pairs of STS 2012-2016",
            f"mean there is {value:.3f} (95% interval {low:.2f} to {high:.2f}), with them "
            f"{row['pearson']:.3f}",
        ],
    }


def of_first_epochs() -> dict[str, list[str]]:
    """How much of what 32 epochs gain comes by epoch 4."""
    history = pd.read_csv(KEPT / "flickr8k-epochs" / "history.csv")
    recalls = history.pivot(index=["model", "seed"], columns="epoch", values="dev_recall")
    later = recalls[32] - recalls[4]
    gains = []
    for size in (256, 512):
        gained = later[f"gru-{size}-attention"]
        gains.append(_bracketed(gained.mean(), *t_interval(gained)))
    model = "gru-256-attention"
    start, four, last = (recalls.loc[model][epoch].mean() for epoch in (0, 4, 32))
    _, rated = long_training()
    of_untrained = rated["name"].eq(f"untrained {model}") & rated["statistic"].isin(
        ["weighted mean", "correlation"]
    )
    untrained = rated[of_untrained].set_index(["task", "method"])["pearson"]
    semantic = [100 * untrained[[("all", "cosine"), ("SICK", "classifier")]].mean()]
    for experiment in ("flickr8k-seeds", "flickr8k-epochs"):
        tables = (table[table["model"] == model] for table in of_grid(experiment))
        semantic.append(of_models(*tables)[[REACHED[2], REACHED[4]]].mean())
    falls = read(KEPT / CLAIMS_32[model]).set_index("claim")["difference"].filter(like="falls")
    share = 100 * (four - start) / (last - start)
    of_score = 100 * (semantic[1] - semantic[0]) / (semantic[2] - semantic[0])
    more, better = 100 * (last / four - 1), -100 * falls.item() / semantic[1]
    return {
        "docs/merkx-frank-2019.md": [
            f"has {share:.0f}% of what it gains in retrieval (development set), "
            f"and {of_score:.0f}%",
            f"retrieval gains {more:.0f}% (development set) and the semantic score {better:.0f}%",
            "GRU of 256 gains {} points, that of 512 gains {}".format(*gains),
        ],
        "docs/results.md": [
            f"{share:.0f}% of what retrieval gains comes by epoch 4, on the development set, and "
            f"{of_score:.0f}%",
            f"After that retrieval gains {more:.0f}%, and the semantic score {better:.0f}%",
            "holds, by {} (GRU 256) and {} (GRU 512)".format(*gains),
        ],
    }


def of_sizes() -> dict[str, list[str]]:
    """How much better trainings of 512 are than those of 256: t intervals of the seeds alone."""
    recalls, ratings = of_grid("flickr8k-epochs")
    recalls = recalls[recalls["direction"].isin(DIRECTIONS)]
    ratings = ratings[ratings["task"].eq("SICK") & ratings["method"].eq("classifier")]
    retrieval = recalls.groupby(["model", "seed"])["r10"].mean()
    sick = 100 * ratings.set_index(["model", "seed"])["pearson"]
    text = {}
    for cell, name, values in (
        ("gru", "retrieval", retrieval),
        ("gru", "SICK", sick),
        ("lstm", "SICK", sick),
    ):
        gained = values[f"{cell}-512-attention"] - values[f"{cell}-256-attention"]
        text[cell, name] = _bracketed(gained.mean(), *t_interval(gained))
    in_retrieval, on_sick, of_lstm = text.values()
    return {
        "docs/results.md": [
            f"GRU by {on_sick}, LSTM by {of_lstm} (intervals of three seeds alone)"
        ],
        "docs/merkx-frank-2019.md": [f"on SICK: by {in_retrieval} and {on_sick} points"],
    }


def of_long_training() -> dict[str, list[str]]:
    """What trainings of 32 epochs reach, beside the paper's network and each other."""
    recalls, ratings = of_grid("flickr8k-epochs")
    means = {
        model: of_models(recalls[recalls["model"] == model], ratings[ratings["model"] == model])
        for model in TRAINED
    }
    sizes = [f"gru-{size}-attention" for size in (256, 512, 1024)]
    sick = [(of_paper() - means[model])["SICK, classifier"] for model in sizes]
    below = (of_paper() - means[sizes[2]])[REACHED[:2]].to_list()
    epochs = {model: read(KEPT / file) for model, file in CLAIMS_32.items()}
    gains = [
        -of[of["claim"].str.startswith("The semantic score falls")]["difference"].item()
        for of in (epochs[model] for model in sizes)
    ]
    larger = epochs[sizes[2]][epochs[sizes[2]]["claim"].str.contains("larger embeddings")]
    [by] = bracketed(larger["difference"], larger["low"], larger["high"])
    won = pd.read_csv(KEPT / "flickr8k-epochs" / "section_4_3.csv")
    won = won[won["a"] == long_training()[0]].set_index("b")[["a_interval", "b_interval"]]
    beside_paper, beside_bag, beside_infersent = (
        won.loc[f"{of} (reported)"] for of in ("char-GRU Flickr8k", "BOW", "InferSent")
    )
    infersent = [26 - beside_infersent.sum(), *beside_infersent]
    reported = pd.read_csv(PAPER / "table2.csv").query("dataset == 'flickr8k'")
    wehrmann = reported[reported["model"].str.startswith("Wehrmann")].set_index("direction")
    theirs = wehrmann.loc[list(DIRECTIONS), ["r10", "r10_ci"]].to_numpy().ravel()
    times = {name: training_minutes(name) for name in ("flickr8k-seeds", "flickr8k-epochs")}
    four = times["flickr8k-seeds"].sum()
    hours = times["flickr8k-epochs"].sum() / 60
    return {
        "docs/merkx-frank-2019.md": [
            f"On SICK they are {sick[0]:.0f}, {sick[1]:.0f} and {sick[2]:.1f} points lower",
            f"The GRU of 1024 is {below[0]:.0f} and {below[1]:.0f} points below it",
            f"The trainings took {four:.0f} minutes",
            "good on {:.0f} of the 26 subtasks, better on {:.0f} and worse on {:.0f}".format(
                *infersent
            ),
        ],
        "docs/results.md": [
            f"it gains {gains[0]:.1f} (GRU 256), {gains[1]:.1f} (GRU 512) and {gains[2]:.1f}",
            f"one of 1024 is better than that of 512 by {by}",
            "as good on {:.0f}, better on {:.0f}, worse on {:.0f}".format(*infersent),
            "R@10 of {} ± {} for images and {} ± {} for captions".format(*theirs),
            "GRU 1024 has {:.1f} and {:.1f}.".format(*means[sizes[2]][REACHED[:2]]),
            f"inside its interval on {26 - beside_paper.sum():.0f} of 26 subtasks",
            "better on {:.0f} of 26 subtasks and worse on {:.0f}".format(*beside_bag),
        ],
        "docs/reproduce.md": [
            f"{four:.0f} minutes of training",
            f"{len(times['flickr8k-epochs'])} of the 33 trainings took {hours:.1f} hours",
        ],
    }


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
            "not decided: {}, the paper 70.5; captions: {}, the paper 79.3".format(*reached),
            "captions ({1}), not decided for images ({0})".format(*reached),
        ],
        "docs/best.md": [f"({reached[0]})", "gives `best` {} and {} points".format(*gained)],
    }


def of_characters() -> dict[str, list[str]]:
    """What embeddings of the characters that no caption has change."""
    keys = [
        ("all", "all", "SentEval cosine", "weighted mean"),
        ("STS-B", "STS 12-16", "SentEval classifier", "correlation"),
        ("SICK", "Relatedness", "SentEval classifier", "correlation"),
    ]
    drawn, zeros = (
        evaluated(name)["pearson"][keys].map("{:.1f}".format) for name in ("printable", "gru-256")
    )
    return {
        "docs/merkx-frank-2019.md": [
            "has {} on STS 2012-2016, {} on STS-B and {} on SICK; ".format(*drawn)
            + "with zeros {}, {} and {}".format(*zeros)
        ]
    }


def of_trees() -> dict[str, list[str]]:
    """How many of Socher et al.'s (2014) comparisons hold."""
    margin, hinge = "max margin, inner product", "mean hinge, cosine"
    runs = [("dt-rnn", margin), ("dt-rnn-rate", margin), ("dt-rnn", hinge)]
    relations = [
        holding(of[of["claim"].eq(RELATIONS) & of["condition"].eq(objective)])
        for experiment, objective in runs
        for of in [claims(experiment)]
    ]
    bag = claims("dt-rnn").query("claim == 'Trees beat the bag'")
    beaten = [bag[bag["condition"] == objective] for objective in (margin, hinge)]
    counts = [f"{sum(holding(of))} of {len(of)}" for of in beaten]
    return {
        "docs/results.md": [
            "Margin: holds in {}, and in {}.".format(*relations[0]),
            "with learning rates tuned again: in {}, and in {}.".format(*relations[1]),
            "Mean hinge: in {}, and in {}".format(*relations[2]),
            "holds in {} under the margin and in {} under the mean hinge".format(*counts),
        ],
        "docs/socher-2014.md": [
            "relations beat positions in {} of 6 comparisons on all of Flickr8k, and in {} of 6 on "
            "the draws".format(*relations[1])
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
    left = both.groupby("measure").cumcount(ascending=False) + 1
    corrected = (both["p"] * left).groupby(both["measure"]).cummax()  # Holm (1979)
    both["after"] = (corrected < 0.05) & (both["difference"] > 0)
    metrics = both.groupby("measure")[["holds", "after"]].sum().loc[["METEOR", "BLEU", "TER"]]
    meteor, bleu, ter = metrics["holds"]
    after = "{}, {} and {}".format(*metrics["after"])
    each = len(both) // len(metrics)
    best = table[table["claim"] == "A β of 0.25 or 1 re-ranks best"]
    above = best["difference"].gt(0).groupby(best["condition"]).sum()
    return {
        "docs/results.md": [
            f"holds in {images} comparisons",
            f"holds in {ratings}, 4 of them of characters",
            f"holds in {adequate}, by METEOR",
            f"holds by METEOR in {meteor} of {each}, by BLEU in {bleu}, by TER in {ter}",
            f"after Holm's correction within each measure in {after}",
        ],
        "docs/calixto-liu-2017.md": [
            f"by METEOR in {meteor} of {each} comparisons, by BLEU in {bleu}, by TER in {ter}",
            f"after Holm's correction within each measure in {after}",
            f"by {above['20-best, optimised']} of 3 measures in lists of 20, by "
            f"{above['50-best, optimised']} in lists of 50",
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
