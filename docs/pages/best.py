"""docs/best.md: the encoders of config/best.yaml, and the shipped one, which is one of them."""

from typing import Any

import numpy as np
import pandas as pd

from docs.pages import tables
from groundvec.card.text import decimals
from groundvec.evaluation.ranks import DIRECTIONS

FOLDER = "best"
HEADS = ["find pictures: R@1", "find pictures: R@10", "find captions: R@1", "find captions: R@10"]
RATINGS = {tables.STS: "STS 2012-2016", tables.STSB: "STS-B", tables.SICK: "SICK"}


def labels(folder: str) -> dict[tuple[str, str], str]:
    """Return what the models of a folder are called, by data set and model."""
    declared = tables.DECLARED["labels"]["best"]
    split = {tuple(of.split("/")): label for of, label in declared.items()}
    return {
        (dataset, model): label for (of, dataset, model), label in split.items() if of == folder
    }


def models() -> str:
    """Write recall and correlations with people's ratings: means over seeds."""
    scores = tables.scores(FOLDER).droplevel("folder")
    groups = scores[[*tables.RECALLS, *RATINGS]].groupby(["dataset", "model"])
    history = tables.kept(f"{FOLDER}/history").groupby(["dataset", "model", "seed"])
    last = history["dev_recall"].last().groupby(["dataset", "model"]).mean()
    there = [system for system in labels(FOLDER) if system in groups.groups]
    numbers = pd.concat([last, groups.mean()], axis=1).loc[there].apply(decimals)
    numbers.columns = ["development R@10", *HEADS, *RATINGS.values()]
    numbers.insert(0, "seeds", groups.size())
    numbers.insert(0, "model", [labels(FOLDER)[system] for system in there])
    return tables.markdown(numbers, 1)


def together(names: dict[str, str]) -> str:
    """Write the recall of three seeds, their mean and all together, by sentences of each language.

    Args:
        names: what each model and language is called.
    """
    found = pd.concat(tables.kept(f"evaluate/together-{language}") for language in ("en", "de"))
    found = found.assign(name=found["model"] + " " + found["language"])
    found["text"] = tables.intervals(found, ["recall", "low", "high"])
    wide = found.pivot(index="name", columns=["direction", "cutoff"], values="text").loc[[*names]]
    wide = wide[[(direction, cutoff) for direction in DIRECTIONS for cutoff in (1, 10)]]
    wide.columns = HEADS
    wide.insert(0, "", [*names.values()])
    return tables.markdown(wide, 1)


def differences(experiment: str, dataset: str) -> str:
    """Write how models differ from the first one of an ablation in R@10, by a paired bootstrap."""
    table = tables.kept(f"{experiment}/ablation").query("dataset == @dataset")
    table = table[table["measure"].str.startswith("R@10")].dropna(subset="difference")
    table["text"] = tables.intervals(table, tables.with_ends("difference"))
    shown = table.pivot(index=["model", "seeds"], columns="measure", values="text")
    shown = shown.reindex(table["model"].unique(), level="model").reset_index()
    known = {model: label for (of, model), label in labels(experiment).items() if of != "pooled"}
    shown["model"] = [known.get(model, tables.code(model)) for model in shown["model"]]
    return tables.markdown(shown, 2)


def alone(part: str) -> list[float]:
    """Read the scores of a part of the shipped encoder's vector on all tasks and on images."""
    table = tables.evaluated(part).query("definition == 'SentEval cosine'")
    images = table.query("task == 'STS 2015' and subtask == 'Images'")
    mean = table.query("task == 'all' and statistic == 'weighted mean'")
    return [mean["pearson"].item(), images["pearson"].item()]


def same_weights(scores: pd.DataFrame) -> float:
    """Average the scores without the seen pairs, weighted by the pairs that each subtask had."""
    subtasks = scores.query("task.str.startswith('STS 20') and statistic == 'correlation'")
    return float(np.average(subtasks["unseen_pearson"], weights=subtasks["pairs"]))


def values() -> dict[str, Any]:
    """Compute the scores of the shipped encoder, and the recalls of three seeds together."""
    chosen = "task == 'all' and statistic == 'weighted mean'"
    percent = tables.evaluated("development").query(chosen)
    shipped = tables.evaluated("flickr8k-v4").query("definition == 'SentEval cosine'")
    own = shipped.query(chosen)
    all_three = tables.kept("evaluate/together-en").query("model == 'together' and cutoff == 10")
    five = tables.kept("evaluate/together-en").query("model == 'best' and cutoff == 5")
    table = tables.kept(f"{FOLDER}/ablation").query("dataset == 'flickr8k'")
    best = table[table["model"] == "best"]
    # Differences from `best`: what its further captions give is the opposite.
    parts = tables.kept(f"{FOLDER}/ablation").query("model == 'best-alone'").set_index("measure")
    ends = ["difference", "difference_high", "difference_low"]
    captions = tables.kept("evaluate/seen-captions").set_index("language")
    return {
        "r": tables.kept("evaluate/development").query(chosen).squeeze(),
        "development": percent.squeeze(),
        "chosen_apart": tables.intervals(percent, tables.with_ends("unseen_pearson")).item(),
        "seen": own.squeeze(),
        "unseen": tables.intervals(own, tables.with_ends("unseen_pearson")).item(),
        "unseen_same_weights": same_weights(shipped),
        "more_captions": tables.intervals(-parts[ends], ends),
        "seen_captions": captions.loc["de"],
        "best": tables.intervals(best, ["value", "low", "high"]).tolist(),
        "together": tables.intervals(all_three, ["recall", "low", "high"]).tolist(),
        "state": alone("state"),
        "outputs": alone("outputs"),
        "of_five": five["recall"].tolist(),
    }
