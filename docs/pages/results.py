"""docs/results.md and README.md: what all experiments show, beside the papers."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from docs.pages import tables
from docs.pages.merkx_frank_2019 import CLAIMS, LONG, TRAINED, paper
from groundvec.render.tables import MISSING, decimals
from groundvec.reporting.claims import VERDICTS, counted

SEEDS = {1: "one seed", 2: "two seeds", 3: "three seeds"}
RATED_ALONE = {
    "trigrams": "character trigrams, nothing learned",
    "untrained": "a network before training",
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
    }
    of_models = tables.scores(LONG).groupby("model")
    seeds, means = of_models.size().map(SEEDS), of_models.mean().T
    rows |= {f"{label}, {seeds[model]}": means[model] for model, label in TRAINED.items()}
    rows |= {label: tables.rated(name) for name, label in RATED_ALONE.items()}
    table = pd.DataFrame(rows).T[tables.WITH_R1].apply(decimals)
    return table.rename_axis("system").reset_index()


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


def turned() -> str:
    """Count the verdicts on Socher et al. (2014) with private features, and with public ones."""
    keys = ["claim", "dataset", "condition", "measure", "worse", "better"]
    files = ("private-features/dt-rnn-claims", "dt-rnn/claims")
    before, after = (tables.compared(file).set_index(keys)["verdict"] for file in files)
    both = before.index.intersection(after.index)
    counts = pd.crosstab(before[both], after[both])
    counts = counts.reindex(index=VERDICTS, columns=VERDICTS, fill_value=0).add_prefix("now: ")
    return tables.markdown(counts.rename_axis("with private features").reset_index(), 1)


def turned_of_grid() -> str:
    """Write the comparisons of Merkx & Frank (2019) that public features turned."""
    found = []
    for model, file in CLAIMS.items():
        table = tables.compared(file)
        of_model = table["better"].where(table["better"].str.contains("-"), model)
        found.append(table.assign(model=of_model))
    keys = ["claim", "measure", "model", "worse"]
    then = tables.kept("private-features/merkx-frank-claims")
    both = then.merge(pd.concat(found), on=keys, suffixes=("_then", "_now"), validate="1:1")
    both = both[both["verdict_then"] != both["verdict_now"]]
    shown = both[["claim", "measure"]].copy()
    shown["model"], shown["beside"] = tables.code(both["model"]), both["worse"]
    for when in ("then", "now"):
        text = tables.intervals(both, [f"{of}_{when}" for of in tables.DIFFERENCE])
        shown[f"{when}: difference"] = both[f"verdict_{when}"] + ": " + text
    return tables.markdown(shown, 6)


def turned_of_languages() -> str:
    """Count the verdicts on Calixto & Liu (2017) with private features, and with public ones."""
    then = tables.kept("private-features/calixto-liu-counts")
    table = tables.compared("mlmme/claims")
    of_images = table["measure"].str.fullmatch("STS 201[45] images")
    table["measure"] = table["measure"].mask(of_images, "STS 2014 and 2015 images")
    keys = ["claim", "measure"]
    before = then.melt(keys, VERDICTS, "verdict", "count")
    before = before.loc[before.index.repeat(before["count"])]
    counts = {
        when: counted(of["verdict"], [of[key] for key in keys])
        for when, of in (("then", before), ("now", table))
    }
    shown = pd.DataFrame(counts)
    return tables.markdown(shown.loc[tables.rows_of(then, keys)].reset_index(), 4)


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
