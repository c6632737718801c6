"""Describe a model: its parts, its data, its size and its scores.

The scores come from the model card, the README.md in the model's folder, if it has one. For a
cell of the paper's grid (Merkx & Frank 2019), the description is printed, as in a configuration.

Examples:
  groundvec info flickr8k
  groundvec info results/demo/models/scenes/gru-128-attention/seed1
  groundvec info gru-2048-attention
"""

import argparse
from pathlib import Path
from typing import Any

from groundvec.cli.program import show
from groundvec.runtime.files import check_regular, read_at_most

LARGEST_CARD = 2**16  # bytes; YAML takes minutes to read a larger one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec info`."""
    parser.add_argument(
        "model",
        nargs="?",
        default="flickr8k",
        metavar="MODEL",
        help="the name of a model that comes with groundvec, the folder of a trained one, or "
        "RNN-SIZE-POOLING (default: %(default)s)",
    )


def main(arguments: argparse.Namespace) -> None:
    """Print one line per fact and per score, or the description of a model of the grid."""
    from groundvec.config.description import describe
    from groundvec.config.parts import grid_encoder, vector_size
    from groundvec.model.folder import read_description, read_ensemble
    from groundvec.model.hub import find

    encoder = grid_encoder(arguments.model)
    if encoder and not Path(arguments.model).exists():
        import yaml

        description = describe(arguments.model, {}, {"language": "en", "training": {}})
        show(*yaml.safe_dump({arguments.model: description}, sort_keys=False).splitlines())
        return
    folder = find(arguments.model)
    model = read_description(folder)
    epochs = read_ensemble(folder)["epochs"]
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    features = {"backbone": "?", "weights": "?"} | model.get("features", {})
    facts = {
        "model": f"{model['model']}, seed {model['seed']}",
        "data": model["dataset"],
        **model["description"],
        "vectors": f"{vector_size(model['description'])} numbers",
        "pictures": f"{model['width']} features, {features['backbone']} ({features['weights']})",
        "snapshots": f"after epoch {', '.join(map(str, epochs))}",
        "folder": f"{folder} ({size / 1e6:.1f} MB)",
    }
    for name, value in facts.items():
        show(f"{name:<12}{_text(value)}")
    for line in _scores(folder / "README.md"):
        show(f"{'score':<12}{line}")


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


def _scores(card: Path) -> list[str]:
    """Read the scores in a model card's front matter, one line per test.

    Anybody may have written the card: if it has another form, there are no scores.
    """
    import yaml

    try:
        check_regular(card)
        with card.open("rb") as file:
            text = read_at_most(file, LARGEST_CARD, card).decode()
        front_matter = yaml.safe_load(text.split("---\n")[1])
        lines = []
        for result in front_matter["model-index"][0]["results"]:
            test = f"{_plain(result['dataset']['name'])}, {_plain(result['task']['name'])}"
            metrics = [
                f"{_plain(metric['type'])} {_plain(metric['value'])}"
                for metric in result["metrics"]
            ]
            lines.append(f"{test}: {', '.join(metrics)}")
        return lines
    except (OSError, ValueError, LookupError, TypeError, RecursionError, yaml.YAMLError):
        return []


def _plain(value: Any) -> str:
    """Return a text or number as text.

    Raises:
        TypeError: it is a list or mapping, which YAML's aliases can make endless.
    """
    if not isinstance(value, str | int | float):
        raise TypeError(f"{type(value).__name__} is neither text nor a number")
    return str(value)
