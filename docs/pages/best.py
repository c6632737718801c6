"""docs/best.md: the encoders of config/best.yaml, and the shipped one, which is one of them."""

from typing import Any

import pandas as pd

from docs.pages import tables
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.render.tables import decimals

FOLDER, EARLIER = "best", "best-v3"  # config/best.yaml now, and when flickr8k-v3 was trained
HEADS = ["find images: R@1", "find images: R@10", "find captions: R@1", "find captions: R@10"]
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


def mistyped(measures: dict[str, str]) -> str:
    """Write the scores of two models, by cosine, where a share of the letters is mistyped."""
    table = tables.kept(f"{EARLIER}/robustness").query("model in ['best', 'mistyped']")
    table = table[table["kind"].eq("typing errors")]
    values = table.pivot(index=["model", "rate"], columns="measure", values="value").reset_index()
    columns = [(name, f"`{of}`", 1) for of, name in measures.items()]
    shown = tables.cells(values, ("letters mistyped", "100 * rate", "{:.0f} %"), *columns)
    shown.insert(0, "model", tables.once(tables.code(values["model"])))
    return tables.markdown(shown, 2)


def parts(parts: dict[str, str], subtasks: dict[str, list[str]]) -> str:
    """Write the scores of each part of the shipped encoder's vector alone, by cosine."""
    found = {"pairs": list(subtasks)}
    for name, heading in parts.items():
        table = tables.evaluated(name).query("definition == 'SentEval cosine'")
        values = table.set_index(["task", "subtask", "statistic"])["pearson"]
        found[heading] = decimals(values[of] for of in map(tuple, subtasks.values()))
    return tables.markdown(pd.DataFrame(found), 1)


def values() -> dict[str, Any]:
    """Compute the scores of the shipped encoder, and the recalls of three seeds together."""
    chosen = "task == 'all' and statistic == 'weighted mean'"
    percent = tables.evaluated("development").query(chosen)
    own = tables.evaluated("flickr8k-v4").query(f"{chosen} and definition == 'SentEval cosine'")
    all_three = tables.kept("evaluate/together-en").query("model == 'together' and cutoff == 10")
    five = tables.kept("evaluate/together-en").query("model == 'best' and cutoff == 5")
    table = tables.kept(f"{FOLDER}/ablation").query("dataset == 'flickr8k'")
    best = table[table["model"] == "best"]
    return {
        "whole": tables.rated("flickr8k-v4"),
        "trigrams": tables.rated("trigrams"),
        "r": tables.kept("evaluate/development").query(chosen).squeeze(),
        "development": percent.squeeze(),
        "chosen_apart": tables.intervals(percent, tables.with_ends("unseen_pearson")).item(),
        "seen": own.squeeze(),
        "unseen": tables.intervals(own, tables.with_ends("unseen_pearson")).item(),
        "best": tables.intervals(best, ["value", "low", "high"]).tolist(),
        "together": tables.intervals(all_three, ["recall", "low", "high"]).tolist(),
        "of_five": five["recall"].tolist(),
    }
