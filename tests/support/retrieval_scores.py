"""Small files of retrieval scores."""

from itertools import product

import pandas as pd

from groundvec.results import schemas
from tests.support.result_files import filled, write, write_models

C2I = "caption_to_image"
I2C = "image_to_caption"


def training(dataset, model, seed=1, dev=(40, 60), snapshots=(4, 8), test_sets=("100",)):
    """Scores of one training: snapshot k has an R@10 of `dev` + k, and the ensemble `dev`.

    The test set has 10 more. Chance is 2 and 3. Intervals are of 3 and 4 to both sides.
    """
    rows = []
    systems = [("snapshot", str(epoch), epoch) for epoch in snapshots]
    systems.append(("ensemble", "+".join(map(str, snapshots)), 0))
    directions = ((C2I, 2, dev[0], 3), (I2C, 3, dev[1], 4))
    for split, test_set, direction in product(("dev", "test"), test_sets, directions):
        name, chance, best, half = direction
        where = {"split": split, "test_set": test_set, "direction": name}
        rows.append(where | {"kind": "chance", "epochs": "", "r10": chance, "half": 0})
        for kind, epochs, more in systems:
            r10 = best + more + 10 * (split == "test")
            rows.append(where | {"kind": kind, "epochs": epochs, "r10": r10, "half": half})
    table = pd.DataFrame(rows)
    table = table.assign(dataset=dataset, model=model, seed=seed, language="en", queries=500)
    table = table.assign(r1=table["r10"] / 4, r5=table["r10"] / 2, median_rank=3.5, mean_rank=7)
    halves = {f"r{k}_ci": table["half"] for k in (1, 5, 10)}
    return filled(table.assign(**halves), schemas.Retrieval)


def results_of(folder, *trainings, **descriptions):
    """The options of scripts/report.py for the results of some trainings."""
    first_rows = [table.iloc[0] for table in trainings]
    names = [(row["dataset"], row["model"], int(row["seed"])) for row in first_rows]
    files = write_models(folder, *names, **descriptions)
    return [
        "--models",
        *files,
        "--retrieval",
        *write(folder, pd.concat(trainings), name="retrieval"),
    ]
