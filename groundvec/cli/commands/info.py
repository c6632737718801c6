"""Describe a model: its parts, its data, its size, and the file of its model card.

Examples:
  groundvec info flickr8k
  groundvec info results/demo/models/scenes/gru-128-attention/seed1
"""

import argparse
from typing import Any

from groundvec.cli.program import show
from groundvec.runtime.files import size


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec info`."""
    parser.add_argument(
        "model",
        nargs="?",
        default="flickr8k",
        metavar="MODEL",
        help="the name of a model that comes with groundvec, or the folder of a trained one "
        "(default: %(default)s)",
    )


def main(arguments: argparse.Namespace) -> None:
    """Print one line per fact."""
    from groundvec.config.parts import vector_size
    from groundvec.model.hub import find

    model_folder = find(arguments.model)
    folder = model_folder.path
    model = model_folder.metadata
    epochs = model_folder.ensemble["epochs"]
    features = {"backbone": "?", "weights": "?"} | model.get("features", {})
    facts = {
        "model": f"{model['model']}, seed {model['seed']}",
        "data": model["dataset"],
        **model["description"],
        "vectors": f"{vector_size(model['description'])} numbers",
        "pictures": f"{model['width']} features, {features['backbone']} ({features['weights']})",
        "snapshots": f"after epoch {', '.join(map(str, epochs))}",
        "folder": f"{folder} ({size(folder) / 1e6:.1f} MB)",
    }
    card = folder / "README.md"
    if card.exists():
        facts["card"] = card  # it has the scores
    for name, value in facts.items():
        show(f"{name:<12}{_text(value)}")


def _text(value: Any) -> str:
    """Write a value of a description on one line, such as `rnn (cell gru, size 128)`."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if not isinstance(value, dict):
        return str(value)
    options = ", ".join(f"{key} {_text(option)}" for key, option in value.items() if key != "name")
    if "name" not in value:
        return options
    return f"{value['name']} ({options})" if options else str(value["name"])
