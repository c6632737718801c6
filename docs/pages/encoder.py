"""docs/encoder.md, evaluate.md and export.md: what shipped encoders reach, and what they cost."""

import json
from typing import Any

import pandas as pd

from docs.pages.tables import ROOT, evaluated, markdown
from groundvec.card.text import decimals
from groundvec.results.frames import read_csv


def published(encoders: dict[str, list[str]]) -> str:
    """Write MTEB's scores of encoders rated here beside those that others have published.

    Args:
        encoders: what each is called, and its size.
    """
    theirs = read_csv(ROOT / "docs" / "published.csv")
    table = theirs.assign(spearman=100 * theirs["spearman"])
    for name in encoders.keys() - {*theirs["encoder"]}:
        ours = evaluated(name).query("definition == 'MTEB cosine'")
        table = pd.concat([table, ours.assign(encoder=name)])
    scores = table.pivot(index="encoder", columns="task", values="spearman")
    scores = scores.loc[[*encoders], theirs["task"].unique()]
    shown = scores.assign(mean=scores.mean(axis=1)).apply(decimals)
    for place, heading in enumerate(["encoder", "size"]):
        shown.insert(place, heading, [of[place] for of in encoders.values()])
    return markdown(shown, 2)


def values() -> dict[str, Any]:
    """Read recall and time of searches, by the number of crops, and the time of features."""
    search, features, [index] = (
        json.loads((ROOT / "benchmarks" / "results" / f"{stage}.json").read_text())["rows"]
        for stage in ("search", "features", "index")
    )
    seconds = {row["what"].partition(", cpu")[0]: row["ours"] for row in features}
    resnet, lite = (seconds[f"{name}, float32"] for name in ("resnet152", "efficientnet_lite0"))
    return {
        "crops": {row["crops"]: row for row in search if "crops" in row},
        "index": index,
        "resnet": resnet,
        "lite": lite,
        "resnet_hours": 8000 * resnet / 3600,
        "lite_minutes": 8000 * lite / 60,
    }
