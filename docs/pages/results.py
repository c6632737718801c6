"""docs/results.md and README.md: what all experiments show, beside the papers."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from docs.pages import tables
from docs.pages.merkx_frank_2019 import LONG, TRAINED, paper
from groundvec.papers.summary.summary import WAYS
from groundvec.render.tables import MISSING, decimals

SEEDS = {1: "one seed", 2: "two seeds", 3: "three seeds"}
RATED_ALONE = {
    "trigrams": "character trigrams, nothing learned",
}
BEST = "[`best`](docs/best.md): subword embeddings (character n-grams) and a GRU, "
# Of the bootstrap behind the claims of one seed.
DRAWS = {"dt-rnn": 10_000, "flickr8k-epochs": 1_000, "mlmme": 1_000}


def systems() -> pd.DataFrame:
    """Collect the scores of every system on Flickr8k."""
    best = tables.scores("best").xs(("flickr8k", "best"), level=("dataset", "model")).mean()
    rows = {
        "the paper: GRU 2048, ResNet-152, ensemble of two snapshots": paper(),
        f"{BEST}single snapshots, other features, three seeds": best,
        f"{BEST}the three seeds together": together(),
    }
    of_models = tables.scores(LONG).groupby("model")
    seeds, means = of_models.size().map(SEEDS), of_models.mean().T
    rows |= {f"{label}, {seeds[model]}": means[model] for model, label in TRAINED.items()}
    rows |= {label: tables.rated(name) for name, label in RATED_ALONE.items()}
    table = pd.DataFrame(rows).T[tables.WITH_R1].apply(decimals)
    return table.rename_axis("system").reset_index()


def together() -> pd.Series:
    """Read the recalls of three seeds together."""
    found = tables.kept("evaluate/together-en").query("model == 'together' and cutoff != 5")
    names = "R@" + found["cutoff"].astype(str) + ", " + found["direction"].map(WAYS)
    return pd.Series(found["recall"].to_numpy(), names)


def all_systems() -> str:
    """Write all systems, with links as from docs/."""
    return tables.markdown(systems(), 1).replace("](docs/", "](")


def short() -> str:
    """Write the rows that the README shows."""
    table = systems()
    shown = ("the paper", "[`best`]", "character trigrams")
    return tables.markdown(table[table["system"].str.startswith(shown)], 1)


def near_zero() -> int:
    """Count the intervals of one seed of which other draws of the bootstrap may decide otherwise.

    An end is within two Monte-Carlo errors of zero: those of a percentile of a normal distribution.
    """
    paths = sorted(path for of in DRAWS for path in tables.KEPT.glob(f"{of}/claims*.csv"))
    found = [
        tables.compared(f"{path.parent.name}/{path.stem}").assign(draws=DRAWS[path.parent.name])
        for path in paths
    ]
    table = pd.concat(found).query("seeds == 1")
    deviation = (table["high"] - table["low"]) / (2 * 1.96)
    error = deviation * np.sqrt(0.025 * 0.975 / table["draws"]) / norm.pdf(1.96)
    return int((table[["low", "high"]].abs().min(axis=1) < 2 * error).sum())


def runs() -> str:
    """Write the command, commits and machines behind each folder of docs/results."""
    columns = ["commit", "versions", "machine"]
    rows = []
    for folder in sorted(path for path in tables.KEPT.iterdir() if path.is_dir()):
        if folder.name not in tables.DECLARED["runs"]:
            raise SystemExit(f"error: say which command made {folder}, in docs/pages/declared.yaml")
        files = [
            pd.read_csv(path, dtype=str, keep_default_na=False)
            for path in sorted(folder.glob("*.csv"))
            if path.stat().st_size
        ]
        table = pd.concat([file.reindex(columns=columns, fill_value="") for file in files])
        said = ["; ".join(sorted({*table[column]} - {""})) or MISSING for column in columns]
        command, note = tables.DECLARED["runs"][folder.name]
        rows.append([tables.code(folder.name), tables.code(command), *said, note])
    heads = ["docs/results", "command", "commits", "versions", "machines", "note"]
    return tables.markdown(pd.DataFrame(rows, columns=heads), 6)


def values() -> dict[str, int]:
    """Count for the sentences on verdicts."""
    return {"near_zero": near_zero()}
