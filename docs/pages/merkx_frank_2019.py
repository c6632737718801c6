"""docs/merkx-frank-2019.md: the grid of Merkx & Frank (2019), after 4 and after 32 epochs."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from docs.pages.best import differences
from docs.pages.tables import (
    DIFFERENCE,
    REACHED,
    SICK,
    STS,
    WITH_R1,
    cells,
    code,
    compared,
    evaluated,
    kept,
    markdown,
    of_seeds,
    once,
    over_seeds,
    rated,
    scores,
    with_ends,
)
from groundvec import papers
from groundvec.evaluation import retrieval
from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.papers.merkx_frank_2019 import table2
from groundvec.reporting.write import MISSING, bracketed, decimals

FOUR, LONG = "flickr8k-seeds", "flickr8k-epochs"  # epochs: 4 and 32
REPORTED = papers.FOLDER / "merkx_frank_2019" / "reported"
SIZES = [f"gru-{size}-attention" for size in (256, 512, 1024)]
CLAIMS = {  # of config/flickr8k-epochs.yaml, by the model that was selected
    model: f"{LONG}/claims{end}" for model, end in zip(SIZES, ("", "-512", "-1024"), strict=True)
}
TRAINED = {  # models of config/flickr8k-epochs.yaml, whose ensembles are of two snapshots
    "gru-1024-attention": "the paper's recipe, ensembles of two: GRU 1024",
    "gru-512-attention": "the paper's recipe, ensembles of two: GRU 512",
    "gru-256-attention": "the paper's recipe, ensembles of two: GRU 256",
    "lstm-1024-attention": "the same, LSTM 1024",
    "lstm-512-attention": "the same, LSTM 512",
    "lstm-256-attention": "the same, LSTM 256",
    "gru-512-max": "the same, GRU 512 with max pooling in place of attention",
    "lstm-512-max": "the same, LSTM 512 with max pooling",
    "gru-256-max": "the same, GRU 256 with max pooling",
    "bag-ngrams": "the same, a bag of character n-grams",
    "bag-words": "the same, a bag of words",
}
BESIDE = ["char-GRU Flickr8k (reported)", "BOW (reported)", "InferSent (reported)"]
UNSEEN = {
    "STS 2012-2016, weighted mean": ("all", "all", "SentEval cosine", "weighted mean"),
    "STS 2012-2016, mean": ("all", "all", "SentEval cosine", "mean"),
    "STS 2015 Images": ("STS 2015", "Images", "SentEval cosine", "correlation"),
    "STS-B, classifier": ("STS-B", "STS 12-16", "SentEval classifier", "correlation"),
    "SICK, classifier": ("SICK", "Relatedness", "SentEval classifier", "correlation"),
}


def paper() -> pd.Series:
    """Read what Merkx & Frank (2019) report, by `WITH_R1`."""
    recalls = pd.read_csv(REPORTED / "table2.csv").query("dataset == 'flickr8k'")
    recalls = recalls[recalls["model"] == "char-GRU"].set_index("direction")
    found = recalls.loc[list(DIRECTIONS), ["r1", "r10"]].to_numpy().ravel()
    ratings = pd.read_csv(REPORTED / "table_s1.csv").set_index("task")
    value, sts = ratings["char_gru_flickr8k"], ratings.filter(like="STS 20", axis=0)
    mean = np.average(sts["char_gru_flickr8k"], weights=sts["pairs"])
    return pd.Series([*found, mean, value["STS-B"], value["SICK"]], WITH_R1)


def grid(experiment: str) -> str:
    """Write what each cell reaches: the mean over its seeds, the lowest and the highest."""
    table = scores(experiment)
    order = table.groupby("model")[STS].mean().sort_values(ascending=False).index
    shown = table[REACHED].apply(over_seeds, by="model").loc[order]
    shown.insert(0, "seeds", table.groupby("model").size())
    shown.insert(0, "model", code(order))
    return markdown(shown, 2)


def claims(file: str) -> str:
    """Write the differences of models, over seeds, and their verdicts."""
    table = compared(file)
    columns = ["measure", "better", "worse", "seeds", "verdict"]
    shown = table[columns].assign(difference=cells(table, ("", DIFFERENCE, 1)))
    # The seeds' values of older ones were not kept: the intervals are the widest that these allow.
    widest = table["seeds"].eq(3) & table["of_seeds"].isna()
    shown["difference"] += widest.map({True: " (widest)", False: ""})
    shown.insert(0, "claim", once(table["claim"]))
    return markdown(shown, 6)


def minutes(experiment: str) -> pd.Series:
    """Read the minutes of each training, by model and seed."""
    return kept(f"{experiment}/history").groupby(["model", "seed"])["seconds"].max() / 60


def times() -> str:
    """Write the minutes of training of each model: the mean over seeds, lowest and highest."""
    columns = {"4 epochs": FOUR, "32 epochs": LONG}
    shown = pd.DataFrame(
        {of: over_seeds(minutes(file), "model", 0) for of, file in columns.items()}
    )
    shown = shown.fillna(MISSING).loc[list(TRAINED)]
    shown.insert(0, "minutes of training", code(shown.index))
    return markdown(shown, 1)


def of_table_2() -> str:
    """Write the paper's Table 2 beside the models of config/flickr8k-epochs.yaml."""
    recalls = kept(f"{LONG}/retrieval")
    models = recalls[["dataset", "model", "seed"]].drop_duplicates().assign(data_source="flickr8k")
    models = models.sort_values("model", key=lambda of: of.map(list(TRAINED).index), kind="stable")
    images = np.repeat(np.arange(1000), 5)  # of the test set's captions
    by_chance = retrieval.chance(images).assign(
        dataset="flickr8k", test_set="1k", language="en", split="test", kind="chance"
    )
    _, ratings = selected()
    own = ratings[ratings["kind"] == "ensemble"].iloc[0]
    measured, reported = pd.concat([recalls, by_chance]), pd.read_csv(REPORTED / "table2.csv")
    chosen = {"flickr8k": (own["model"], int(own["seed"]))}
    with tempfile.TemporaryDirectory() as folder:
        table = table2.table2(measured, reported, models, chosen)
        table2.show(table, own["model"], Path(folder) / "table2")
        return (Path(folder) / "table2.md").read_text(encoding="utf-8").rstrip()


def selected() -> tuple[str, pd.DataFrame]:
    """Read the name of the ensemble of config/flickr8k-epochs.yaml, and its paper's Table S1."""
    table = kept(f"{LONG}/table_s1")
    [name] = table.loc[table["kind"] == "ensemble", "name"].unique()
    return name, table


def subtasks() -> str:
    """Write the correlations of each subtask: measured with its interval, reported, baselines."""
    own, table = selected()
    whole = table["statistic"].eq("weighted mean") & table["task"].eq("all")
    classified = table["task"].isin(["STS-B", "SICK"])
    single = table["statistic"].eq("correlation") & table["method"].eq("classifier").eq(classified)
    table = table[whole | single].set_index(["task", "subtask"])
    model, of_own = own.split()[0], table[table["name"] == own]
    cell = (code(model), [f"100 * {of}" for of in with_ends("pearson")], 1)
    shown = of_own.index.to_frame().join(cells(of_own, cell))
    for name in (*BESIDE, f"untrained {model}", "BOW-100d", "trigrams"):
        shown[name] = decimals(100 * table[table["name"] == name]["pearson"].reindex(of_own.index))
    names = {"task": {"all": "STS 2012-2016"}, "subtask": {"all": "mean"}}
    return markdown(shown.replace(names), 2)


def without_training_captions() -> str:
    """Write what the shipped encoder reaches with and without pairs that hold a caption."""
    keys = ["task", "subtask", "definition", "statistic"]
    table = evaluated("flickr8k-v3").set_index(keys).loc[list(UNSEEN.values())]
    shown = cells(
        table,
        ("all pairs", with_ends("pearson"), 1),
        ("without these pairs", with_ends("unseen_pearson"), 1),
        ("pairs left", "pairs - seen", "{:,}"),
    )
    shown.insert(0, "score", list(UNSEEN))
    return markdown(shown, 1)


def beside_senteval() -> str:
    """Write the largest differences from SentEval's own code."""
    table = kept("evaluate/senteval")
    for of in ("pearson", "spearman"):
        table[of.capitalize()] = (table[of] - table[f"senteval_{of}"]).abs()
    table["prediction"] = table["definition"].str.removeprefix("SentEval ")
    groups = table.groupby("prediction", sort=False)
    shown = groups[["Pearson", "Spearman"]].max().map("{:.0e}".format)
    shown.insert(0, "scores", groups.size())
    return markdown(shown.reset_index(), 1)


TABLES = {
    "grid after 4 epochs": lambda: grid(FOUR),
    "claims after 4 epochs": lambda: claims(f"{FOUR}/claims"),
    "Table 2 after 32 epochs": of_table_2,
    "grid after 32 epochs": lambda: grid(LONG),
    "claims after 32 epochs": lambda: claims(CLAIMS[SIZES[0]]),
    "claims of 512": lambda: claims(CLAIMS[SIZES[1]]),
    "claims of 1024": lambda: claims(CLAIMS[SIZES[2]]),
    "margins and embeddings": lambda: differences("char-gru-variants", "flickr8k"),
    "training times": times,
    "subtasks rated": subtasks,
    "without training captions": without_training_captions,
    "beside SentEval": beside_senteval,
}


def values() -> dict[str, Any]:
    """Compute what trainings of 4 and of 32 epochs reach, beside the paper's and each other."""
    own, ratings = selected()
    long, four = (scores(name).droplevel(["folder", "dataset"]) for name in (LONG, FOUR))
    means, of_paper = long.groupby("model").mean(), paper()
    claims = [compared(file).set_index("claim") for file in CLAIMS.values()]
    gains = [-of["difference"].filter(like="The semantic score falls").item() for of in claims]
    larger = claims[2].filter(like="larger embeddings", axis=0)

    # How much of what the smallest gains in 32 epochs comes by epoch 4.
    recalls = kept(f"{LONG}/history").set_index(["model", "seed", "epoch"])["dev_recall"].unstack()
    start, fourth, last = recalls.loc[SIZES[0], [0, 4, 32]].mean()
    untrained = ratings[ratings["name"].eq(f"untrained {SIZES[0]}")]
    untrained = untrained[untrained["statistic"].isin(["weighted mean", "correlation"])]
    untrained = untrained.set_index(["task", "method"])["pearson"]
    begin = 100 * untrained[[("all", "cosine"), ("SICK", "classifier")]].mean()
    early, late = (of.loc[SIZES[0], [STS, SICK]].mean().mean() for of in (four, long))

    def of_512(cell: str, measures: list[str]) -> str:
        """Write how much better 512 is than 256: a t interval of the seeds alone."""
        table = long[measures].mean(axis=1)
        return of_seeds(table[f"{cell}-512-attention"] - table[f"{cell}-256-attention"])

    wins = kept(f"{LONG}/section_4_3")
    wins = wins[wins["a"] == own].set_index("b")
    as_paper, bag, infersent = (
        wins.loc[of, ["a_interval", "b_interval"]].tolist() for of in BESIDE
    )
    table = pd.read_csv(REPORTED / "table2.csv").query("dataset == 'flickr8k'")
    wehrmann = table[table["model"].str.startswith("Wehrmann")].set_index("direction")
    return {
        "sick": [of_paper[SICK] - means.loc[model, SICK] for model in SIZES],
        "below": (of_paper - means.loc[SIZES[2]])[REACHED[:2]].tolist(),
        "largest": means.loc[SIZES[2], REACHED[:2]].tolist(),
        "gains": gains,
        "larger": bracketed(*(larger[of] for of in DIFFERENCE)),
        "later": [of_seeds((recalls[32] - recalls[4])[model]) for model in SIZES[:2]],
        "share_of_recall": 100 * (fourth - start) / (last - start),
        "share_of_score": 100 * (early - begin) / (late - begin),
        "later_recall": 100 * (last / fourth - 1),
        "later_score": 100 * gains[0] / early,
        "gru_in_retrieval": of_512("gru", REACHED[:2]),
        "gru_on_sick": of_512("gru", [SICK]),
        "lstm_on_sick": of_512("lstm", [SICK]),
        "as_paper": 26 - sum(as_paper),
        "as_infersent": 26 - sum(infersent),
        "beside_infersent": infersent,
        "beside_bag": bag,
        "wehrmann": wehrmann.loc[list(DIRECTIONS), ["r10", "r10_ci"]].to_numpy().ravel(),
        "minutes_of_4": minutes(FOUR).sum(),
        "trainings": len(minutes(LONG)),
        "hours": minutes(LONG).sum() / 60,
        # Embeddings of the characters that no caption has.
        "printable": rated("printable"),
        "zeros": rated("gru-256"),
    }
