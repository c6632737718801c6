"""docs/best.md: the encoders of config/best.yaml, and the shipped one, which is one of them."""

from typing import Any

import pandas as pd

from docs.pages import tables
from groundvec.render.tables import decimals

FOLDERS = ["best", "best-v2"]  # config/best.yaml now, and when flickr8k-v2 was trained
COUNTING = [("best", "flickr8k", "best"), ("best", "parts", "mistyped")]  # append n-gram counts
LEARNED = ("evaluate", "flickr8k", "learned")
MODELS = {tuple(of.split("/")): label for of, label in tables.DECLARED["labels"]["best"].items()}
HEADS = ["find images: R@1", "find images: R@10", "find captions: R@1", "find captions: R@10"]


def retrieval() -> str:
    """Write recall: means over seeds."""
    groups = tables.scores(*FOLDERS)[tables.RECALLS].groupby(tables.SYSTEM)
    history = pd.concat([tables.kept(f"{of}/history").assign(folder=of) for of in FOLDERS])
    last = history.groupby([*tables.SYSTEM, "seed"])["dev_recall"].last()
    last = last.groupby(tables.SYSTEM).mean()
    there = [system for system in MODELS if system != LEARNED]
    numbers = pd.concat([last, groups.mean()], axis=1).loc[there].apply(decimals)
    numbers.columns = ["development R@10", *HEADS]
    numbers.insert(0, "seeds", groups.size())
    numbers.insert(0, "model", [MODELS[system] for system in there])
    return tables.markdown(numbers, 1)


def ratings() -> str:
    """Write correlations with people's ratings: means over seeds, lowest and highest."""
    table = tables.scores(*FOLDERS).drop(columns=tables.RECALLS).dropna(how="all")
    shown = table.sort_index(axis=1).apply(tables.mean_and_range, by=tables.SYSTEM)
    shown.loc[LEARNED] = decimals(tables.rated("learned")[shown.columns])
    there = [system for system in MODELS if system in shown.index]
    shown = shown.loc[there]
    shown.insert(0, "counts", ["yes" if system in COUNTING else "no" for system in there])
    shown.insert(0, "model", [MODELS[system].partition(":")[0] for system in there])
    return tables.markdown(shown, 2)


def differences(experiment: str, dataset: str) -> str:
    """Write how models differ from the first one of an ablation in R@10, by a paired bootstrap.

    Not in ratings: `best` appends counts of n-grams there, which the others do not have.
    """
    table = tables.kept(f"{experiment}/ablation").query("dataset == @dataset")
    table = table[table["measure"].str.startswith("R@10")].dropna(subset="difference")
    table["text"] = tables.intervals(table, tables.with_ends("difference"))
    shown = table.pivot(index=["model", "seeds"], columns="measure", values="text")
    shown = shown.reindex(table["model"].unique(), level="model").reset_index()
    labels = {model: label for (_, of, model), label in MODELS.items() if of != "pooled"}
    shown["model"] = [labels.get(model, tables.code(model)) for model in shown["model"]]
    return tables.markdown(shown, 2)


def mistyped(measures: dict[str, str]) -> str:
    """Write the scores of two models, by cosine, where a share of the letters is mistyped."""
    table = tables.kept("best/robustness").query("model in ['best', 'mistyped']")
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
    """Compute the scores of the shipped vector and its parts, and the gain of `best` by its GRU."""
    found = {"counts": "counts", "learned": "learned", "whole": "flickr8k-v3"}
    chosen = "task == 'all' and statistic == 'weighted mean'"
    percent = tables.evaluated("development").query(chosen)
    table = tables.kept("best/ablation").query("dataset == 'flickr8k'")
    best, bag = (table[table["model"] == model] for model in ("best", "bag"))
    gained = ["difference", "difference_high", "difference_low"]
    return {
        **{name: tables.rated(file) for name, file in found.items()},
        "trigrams": tables.rated("trigrams"),
        "r_learned": tables.rated("learned") / 100,
        "development": percent.squeeze(),
        "unseen": tables.intervals(percent, tables.with_ends("unseen_pearson")).item(),
        "r": tables.kept("evaluate/development").query(chosen).squeeze(),
        "best": tables.intervals(best, ["value", "low", "high"]).tolist(),
        "gru": tables.intervals(-bag[gained], gained).tolist(),
    }
