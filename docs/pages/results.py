"""docs/results.md and README.md: the results of all experiments, next to the papers'."""

import pandas as pd

from docs.pages import controls, tables
from docs.pages.merkx_frank_2019 import LONG, TRAINED, paper
from groundvec.card.text import MISSING, decimals
from reproduction.reporting.measures import WAYS

SEEDS = {1: "one seed", 2: "two seeds", 3: "three seeds"}
# Phrases that README's narrow table shortens.
SHORTER = {
    ", ResNet-152, ensemble of two snapshots": "",
    "recipe, ensembles of two": "recipe",
    ", without captions of other images": "",
    "without captions of other images, ": "",
}
TUNED = (
    "[`flickr8k`](docs/best-in-detail.md#on-tuned-image-networks): `best` on tuned image networks"
)
BEST = "[`best`](docs/best.md): n-grams and a GRU, "


def systems() -> pd.DataFrame:
    """Collect the scores of every system on Flickr8k."""
    best = tables.scores("best")
    three_seeds = best.query("dataset == 'flickr8k' and model == 'best'").mean()
    alone = best.query("dataset == 'parts' and model == 'best-alone'").mean()
    recalls = tables.kept("evaluate/together-en").query("model == 'together' and cutoff != 5")
    names = "R@" + recalls["cutoff"].astype(str) + ", " + recalls["direction"].map(WAYS)
    together = pd.Series(recalls["recall"].to_numpy(), names)
    tuned = tables.scores("tuned-networks").query("model == 'best'").mean()
    rows = {
        "the paper: GRU 2048, ResNet-152, ensemble of two snapshots": paper(),
        f"{TUNED}, one seed": tuned,
        f"{BEST}three seeds": three_seeds,
        f"{BEST}the three seeds together": together,
        f"{BEST}without captions of other images, one seed": alone,
    }
    of_models = tables.scores(LONG).groupby("model")
    seeds = of_models.size().map(SEEDS)
    means = of_models.mean().T
    rows |= {f"{label}, {seeds[model]}": means[model] for model, label in TRAINED.items()}
    rows |= controls.systems()
    table = pd.DataFrame(rows).T[tables.WITH_R1].apply(decimals)
    table = table.rename_axis("system").reset_index()
    table.insert(1, "training captions", captions_read(table["system"]))
    return table


def captions_read(systems: pd.Series) -> pd.Series:
    """Write the number of captions that each system learned from."""
    flickr8k, all_captions = map("{:,}".format, tables.training_captions())
    read = pd.Series(flickr8k, systems.index)
    has_more = systems.str.contains("`best`") & ~systems.str.contains("without captions")
    read = read.mask(has_more, all_captions)
    read = read.mask(systems.str.contains("before training|TF-IDF"), f"{flickr8k}, IDF only")
    return read.mask(systems.str.contains("counts of"), MISSING)


def all_systems() -> str:
    """Write all systems, with links as from docs/tables/."""
    return tables.markdown(systems(), 1).replace("](docs/", "](../")


def short() -> str:
    """Write the systems that the README shows, in five columns."""
    table = systems()
    images, captions = tables.REACHED[:2]
    shown = table[["system", "training captions"]]
    shown = shown.assign(recall=table[images] + " / " + table[captions])
    shown["recall"] = shown["recall"].replace(f"{MISSING} / {MISSING}", MISSING)
    shown = shown.assign(sts=table[tables.STS], sick=table[tables.SICK])
    shown.columns = [*shown.columns[:2], "R@10, images / captions", "STS 2012-2016", "SICK"]
    left_out = table["system"].str.contains("^the same|GRU (?:1024|512|256)|together|counts of")
    return tables.markdown(shown[~left_out].replace(SHORTER, regex=True), 1)
