"""docs/best.md: the encoders of config/best.yaml, including the shipped encoder."""

from typing import Any

import numpy as np
import pandas as pd

from docs.pages import tables
from groundvec.card.text import decimals
from groundvec.evaluation.ranks import DIRECTIONS

FOLDER = "best"
HEADS = ["find images: R@1", "find images: R@10", "find captions: R@1", "find captions: R@10"]
RECALL = ["recall", "low", "high"]
RATINGS = {tables.STS: "STS 2012-2016", tables.STSB: "STS-B", tables.SICK: "SICK"}


def labels(folder: str) -> dict[tuple[str, str], str]:
    """Return the labels of a folder's models, by data set and model."""
    labels_of_folder = {}
    for path, label in tables.DECLARED["labels"]["best"].items():
        name, dataset, model = path.split("/")
        if name == folder:
            labels_of_folder[dataset, model] = label
    return labels_of_folder


def models() -> str:
    """Write recall and correlations with people's ratings, as means over seeds."""
    scores = tables.scores(FOLDER)
    groups = scores[[*tables.RECALLS, *RATINGS]].groupby(["dataset", "model"])
    history = tables.kept(f"{FOLDER}/history").groupby(["dataset", "model", "seed"])
    last = history["dev_recall"].last().groupby(["dataset", "model"]).mean()
    systems = [system for system in labels(FOLDER) if system in groups.groups]
    numbers = pd.concat([last, groups.mean()], axis=1).loc[systems].apply(decimals)
    numbers.columns = ["development R@10", *HEADS, *RATINGS.values()]
    numbers.insert(0, "seeds", groups.size())
    numbers.insert(0, "model", [labels(FOLDER)[system] for system in systems])
    return tables.markdown(numbers, 1)


def recalls(files: list[str], systems: list[str], names: dict[str, str]) -> str:
    """Write recalls with their intervals, one row per system.

    Args:
        files: in docs/results.
        systems: the columns that identify a system.
        names: the label of each system, by the texts of these columns.
    """
    table = pd.concat(tables.kept(file) for file in files)
    table["name"] = table[systems].agg(" ".join, axis=1)
    table["text"] = tables.intervals(table, RECALL)
    wide = table.pivot(index="name", columns=["direction", "cutoff"], values="text")
    columns = [(direction, cutoff) for direction in DIRECTIONS for cutoff in (1, 10)]
    wide = wide.loc[list(names)][columns]
    wide.columns = HEADS
    wide.insert(0, "", list(names.values()))
    return tables.markdown(wide, 1)


def differences(experiment: str, dataset: str) -> str:
    """Write the differences in R@10 from the first model of an ablation, with intervals."""
    table = tables.kept(f"{experiment}/ablation").query("dataset == @dataset")
    table = table[table["measure"].str.startswith("R@10")].dropna(subset="difference")
    table["text"] = tables.intervals(table, tables.with_ends("difference"))
    # `pivot` sorts models by name, and `reindex` restores their order.
    page_table = table.pivot(index=["model", "seeds"], columns="measure", values="text")
    page_table = page_table.reindex(table["model"].unique(), level="model").reset_index()
    by_model = {model: label for (_, model), label in labels(experiment).items()}
    page_table["model"] = [by_model.get(model, tables.code(model)) for model in page_table["model"]]
    return tables.markdown(page_table, 2)


def scores_of_part(part: str) -> list[float]:
    """Read the scores of a part of the shipped encoder's vector, on all tasks and on images."""
    table = tables.evaluated(part).query("definition == 'SentEval cosine'")
    images = table.query("task == 'STS 2015' and subtask == 'Images'")
    mean = table.query("task == 'all' and statistic == 'weighted mean'")
    return [mean["pearson"].item(), images["pearson"].item()]


def same_weights(scores: pd.DataFrame) -> float:
    """Average the scores of unseen pairs, weighted by the numbers of all pairs of each subtask."""
    subtasks = scores.query("task.str.startswith('STS 20') and statistic == 'correlation'")
    return float(np.average(subtasks["unseen_pearson"], weights=subtasks["pairs"]))


def values() -> dict[str, Any]:
    """Compute the scores of the shipped encoder, and the recalls of three seeds together."""
    mean = "task == 'all' and statistic == 'weighted mean'"
    development = tables.evaluated("development").query(mean)
    shipped = tables.evaluated("flickr8k-v5").query("definition == 'SentEval cosine'")
    shipped_mean = shipped.query(mean)
    all_three = tables.kept("evaluate/together-en").query("model == 'together' and cutoff == 10")
    five = tables.kept("evaluate/together-en").query("model == 'best' and cutoff == 5")
    table = tables.kept(f"{FOLDER}/ablation").query("dataset == 'flickr8k'")
    best = table[table["model"] == "best"]
    # The gain of further captions is the negative difference of the model without them from `best`.
    parts = tables.kept(f"{FOLDER}/ablation").query("model == 'best-alone'").set_index("measure")
    ends = ["difference", "difference_high", "difference_low"]
    captions = tables.kept("evaluate/seen-captions").set_index("language")
    banks = tables.kept("evaluate/querybank").query("model == 'best' and cutoff == 10")
    banks = banks.set_index("system")
    tuned_networks = tables.kept("tuned-networks/best").query("cutoff == 10")
    tuned_networks = tuned_networks.set_index(["networks", "system"]).sort_index()
    tuned_recalls = tables.intervals(tuned_networks, RECALL)
    german = tables.kept("flickr8k-v5/german").query("model == 'together' and cutoff == 10")
    three = tables.kept("tuned-networks/together").query("cutoff == 10").set_index("model")
    three_recalls = tables.intervals(three, RECALL)
    tuning = tables.kept("tuned-networks/tuning")
    passes = tuning[tuning["seed"] == 1].groupby("dataset")["dev_recall"]
    passes_of_seed2 = tuning[tuning["seed"] == 2]["dev_recall"]
    return {
        "before_tuning": passes.first(),
        "after_tuning": passes.last(),
        "seed2": [passes_of_seed2.iloc[0], passes_of_seed2.iloc[-1]],
        "three_seeds": three_recalls["best"].tolist(),
        "three_bank": three_recalls["together, bank"].tolist(),
        "german": tables.intervals(german, RECALL).tolist(),
        "german_recall": german["recall"].tolist(),
        "tuned_recalls": tuned_recalls["tuned", "plain"].tolist(),
        "tuned_bank": tuned_recalls["tuned", "bank"].tolist(),
        "tuned_gain": tuned_recalls["gain", "plain"].tolist(),
        "bank": tables.intervals(banks, RECALL)["bank"].tolist(),
        "bank_gain": tables.intervals(banks, RECALL)["gain"].tolist(),
        "r": tables.kept("evaluate/development").query(mean).squeeze(),
        "development": development.squeeze(),
        "chosen_apart": tables.intervals(development, tables.with_ends("unseen_pearson")).item(),
        "seen": shipped_mean.squeeze(),
        "unseen": tables.intervals(shipped_mean, tables.with_ends("unseen_pearson")).item(),
        "unseen_same_weights": same_weights(shipped),
        "more_captions": tables.intervals(-parts[ends], ends),
        "seen_captions": captions.loc["de"],
        "best": tables.intervals(best, ["value", "low", "high"]).tolist(),
        "together": tables.intervals(all_three, RECALL).tolist(),
        "state": scores_of_part("state"),
        "outputs": scores_of_part("outputs"),
        "of_five": five["recall"].tolist(),
    }
