"""docs/best.md: the encoders of config/best.yaml, and the shipped one, which is one of them."""

from typing import Any

import pandas as pd

from docs.pages.tables import (
    RECALLS,
    SYSTEM,
    cells,
    code,
    evaluated,
    kept,
    markdown,
    once,
    over_seeds,
    rated,
    scores,
    with_ends,
)
from groundvec.reporting.write import bracketed, decimals

FOLDERS = ["best", "best-v2"]  # config/best.yaml now, and when flickr8k-v2 was trained
COUNTING = [("best", "flickr8k", "best"), ("best", "parts", "mistyped")]  # append n-gram counts
LEARNED = ("evaluate", "flickr8k", "learned")
MODELS = {  # by folder, data set and model
    ("best", "flickr8k", "best"): "`best`: subword embeddings (character n-grams), a bag and a GRU",
    ("best", "parts", "mistyped"): "`best`, up to a fifth of the letters mistyped in training",
    LEARNED: "`best` without the counts, seed 2",
    ("best", "flickr8k", "bag"): "`bag`: n-grams, no order of the words",
    ("best", "parts", "bag-no-paraphrases"): "`bag`, one caption of each picture, not two",
    ("best", "parts", "bag-no-idf"): "`bag`, no weights by document frequency",
    ("best", "parts", "bag-no-dropout"): "`bag`, no dropout",
    ("best", "parts", "bag-deviation-1"): "`bag`, initial embeddings of deviation 1, not 0.1",
    ("best", "parts", "bag-hinge"): "`bag`, the hinge loss, not InfoNCE",
    ("best", "parts", "bag-not-standardised"): "`bag`, image features not standardised",
    ("best", "pooled", "bag"): "`bag`, only each network's last features",
    ("best", "flickr8k", "bag-words"): "bag of words",
    ("best", "parts", "gru-256"): "GRU 256 over characters",
    ("best", "parts", "gru-1024"): "GRU 1024 over characters",
    ("best-v2", "flickr8k", "best"): "`flickr8k-v2`: its bag, last features of three networks",
}
HEADS = ["find images: R@1", "find images: R@10", "find captions: R@1", "find captions: R@10"]
MISTYPED = {
    "caption_to_image R@10": HEADS[1],
    "image_to_caption R@10": HEADS[3],
    "unsupervised": "STS 2012-2016",
    "STS-B": "STS-B",
    "SICK": "SICK",
}
PARTS = {
    "outputs": "outputs, compared with pictures (512)",
    "state": "state (512)",
    "learned": "both: all that is learned",
    "counts": "counts (1,024)",
    "flickr8k-v3": "the whole vector",
}
SUBTASKS = [
    ("STS 2015", "Images"),
    ("STS 2014", "Images"),
    ("STS 2012", "MSRvid"),
    ("STS 2014", "OnWN"),
    ("STS 2015", "HDL"),
    ("STS 2014", "HDL"),
    ("STS 2015", "Answers forum"),
    ("STS 2013", "FNWN"),
]


def retrieval() -> str:
    """Write recall: means over seeds."""
    groups = scores(*FOLDERS)[RECALLS].groupby(SYSTEM)
    history = pd.concat(kept(f"{folder}/history").assign(folder=folder) for folder in FOLDERS)
    last = history.groupby([*SYSTEM, "seed"])["dev_recall"].last().groupby(SYSTEM).mean()
    there = [system for system in MODELS if system != LEARNED]
    numbers = pd.concat([last, groups.mean()], axis=1).loc[there].apply(decimals)
    numbers.columns = ["development R@10", *HEADS]
    numbers.insert(0, "seeds", groups.size())
    numbers.insert(0, "model", [MODELS[system] for system in there])
    return markdown(numbers, 1)


def ratings() -> str:
    """Write correlations with people's ratings: means over seeds, lowest and highest."""
    table = scores(*FOLDERS).drop(columns=RECALLS).dropna(how="all")
    shown = table.sort_index(axis=1).apply(over_seeds, by=SYSTEM)
    shown.loc[LEARNED] = decimals(rated("learned")[shown.columns])
    there = [system for system in MODELS if system in shown.index]
    shown = shown.loc[there]
    shown.insert(0, "counts", ["yes" if system in COUNTING else "no" for system in there])
    shown.insert(0, "model", [MODELS[system].partition(":")[0] for system in there])
    return markdown(shown, 2)


def differences(experiment: str, dataset: str) -> str:
    """Write how models differ from the first one of an ablation in R@10, by a paired bootstrap.

    Not in ratings: `best` appends counts of n-grams there, which the others do not have.
    """
    table = kept(f"{experiment}/ablation").query("dataset == @dataset")
    table = table[table["measure"].str.startswith("R@10")].dropna(subset="difference")
    table = table.join(cells(table, ("text", with_ends("difference"), 1)))
    shown = table.pivot(index=["model", "seeds"], columns="measure", values="text")
    shown = shown.reindex(table["model"].unique(), level="model").reset_index()
    labels = {model: label for (_, of, model), label in MODELS.items() if of != "pooled"}
    shown["model"] = [labels.get(model, code(model)) for model in shown["model"]]
    return markdown(shown, 2)


def mistyped() -> str:
    """Write what two models reach, by cosine, where a share of the letters is mistyped."""
    table = kept("best/robustness").query("model in ['best', 'mistyped']")
    table = table[table["kind"].eq("typing errors")]
    values = table.pivot(index=["model", "rate"], columns="measure", values="value").reset_index()
    columns = [(name, f"`{of}`", 1) for of, name in MISTYPED.items()]
    shown = cells(values, ("letters mistyped", "100 * rate", "{:.0f} %"), *columns)
    shown.insert(0, "model", once(code(values["model"])))
    return markdown(shown, 2)


def parts() -> str:
    """Write what each part of the shipped encoder's vector reaches alone, by cosine."""
    rows = {f"{task} {name}": (task, name, "correlation") for task, name in SUBTASKS}
    rows["STS 2012-2016, weighted mean"] = ("all", "all", "weighted mean")
    rows["STS-B"] = ("STS-B", "STS 12-16", "correlation")
    rows["SICK"] = ("SICK", "Relatedness", "correlation")
    found = {"pairs": list(rows)}
    for name, heading in PARTS.items():
        table = evaluated(name).query("definition == 'SentEval cosine'")
        table = table.set_index(["task", "subtask", "statistic"]).loc[list(rows.values())]
        found[heading] = decimals(table["pearson"])
    return markdown(pd.DataFrame(found), 1)


TABLES = {
    "contrastive retrieval": retrieval,
    "contrastive ratings": ratings,
    "differences from best": lambda: differences("best", "parts"),
    "mistyped": mistyped,
    "parts of the vector": parts,
}


def values() -> dict[str, Any]:
    """Compute what the shipped vector and its parts reach, and what the GRU gives to `best`."""
    development = kept("evaluate/development").query("task == 'all'")
    [row] = development.query("statistic == 'weighted mean'").index
    percent = evaluated("development").loc[row]
    parts = {"counts": "counts", "learned": "learned", "whole": "flickr8k-v3"}
    table = kept("best/ablation").query("dataset == 'flickr8k'")
    best, bag = (table[table["model"] == model] for model in ("best", "bag"))
    gained = (-bag[f"difference{end}"] for end in ("", "_high", "_low"))
    return {
        **{name: rated(file) for name, file in parts.items()},
        "trigrams": rated("trigrams"),
        "r_learned": rated("learned") / 100,
        "development": percent,
        "unseen": bracketed(*([percent[of]] for of in with_ends("unseen_pearson")))[0],
        "r": development.loc[row],
        "best": bracketed(best["value"], best["low"], best["high"]),
        "gru": bracketed(*gained),
    }
