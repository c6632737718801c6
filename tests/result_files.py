"""Small result files of models, for tests of tables and figures."""

import importlib
from pathlib import Path

from groundvec.files import write_json
from groundvec.reporting import results

REPORTED = Path(__file__).parent.parent / "groundvec" / "papers" / "merkx_frank_2019" / "reported"


def run(item, *arguments):
    """Make a table or figure of Merkx & Frank (2019) as scripts/report.py does."""
    script = importlib.import_module("scripts.report")
    words = [f"merkx_frank_2019/{item}", *map(str, arguments)]
    script.main(script.parser.parse_args(words))


def described(name, **parts):
    """The description of a model of the paper's grid, `gru-8-max`, with other parts if named."""
    cell, size, pooling = name.split("-")
    return {
        "languages": ["en"],
        "text": {"name": "characters"},
        "encoder": {"name": "rnn", "cell": cell, "size": int(size), "pooling": pooling},
        "similarity": "cosine",
        "objective": {"name": "hinge", "margin": 0.2},
        **parts,
    }


BAG = {"text": {"name": "words"}, "encoder": {"name": "bag", "size": 8, "embedding": 8}}


def write_models(folder, *models, snapshots=(4, 8), **descriptions):
    """Write a model.json for each of (dataset, model) or (dataset, model, seed); gives the files.

    Beside each is an ensemble.json, in which the first of the snapshots is the best. Descriptions
    are those of models that are not called by their parts; `_` stands for `-`.
    """
    paths = []
    for dataset, model, *seed in models:
        about = {"dataset": dataset, "model": model, "seed": seed[0] if seed else 1}
        about["description"] = descriptions.get(model.replace("-", "_")) or described(model)
        about["snapshots"] = list(snapshots)
        paths.append(Path(folder, dataset, model, f"seed{about['seed']}", "model.json"))
        write_json(paths[-1], about)
        ensemble = {"epochs": list(snapshots), "best": snapshots[0]}
        write_json(paths[-1].with_name("ensemble.json"), ensemble)
    return paths


def models(folder, *names, **more):
    return results.read_models(write_models(folder, *names, **more))
