"""Say what a model is: its parts, its data, its size and its scores.

The scores are those of the model card, the README.md in the model's folder, if there is one.

Examples:
  groundvec info flickr8k
  groundvec info results/demo/models/scenes/gru-128-attention/seed1
"""

import argparse
from pathlib import Path
from typing import Any

from groundvec.cli.program import show
from groundvec.runtime.files import check_regular, read_at_most

LARGEST_CARD = 2**16  # bytes; of more, YAML takes minutes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        nargs="?",
        default="flickr8k",
        metavar="MODEL",
        help="the name of one that comes with groundvec, or a trained one's folder "
        "(default: %(default)s)",
    )


def main(arguments: argparse.Namespace) -> None:
    from groundvec.config.parts import vector_size
    from groundvec.model.folder import read_description, read_ensemble
    from groundvec.model.hub import find

    folder = find(arguments.model)
    about = read_description(folder)
    epochs = read_ensemble(folder)["epochs"]
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    features = {"backbone": "?", "weights": "?"} | about.get("features", {})
    facts = {
        "model": f"{about['model']}, seed {about['seed']}",
        "data": about["dataset"],
        **about["description"],
        "vectors": f"{vector_size(about['description'])} numbers",
        "pictures": f"{about['width']} features, {features['backbone']} ({features['weights']})",
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
    options = ", ".join(f"{key} {_text(each)}" for key, each in value.items() if key != "name")
    if "name" not in value:
        return options
    return f"{value['name']} ({options})" if options else str(value["name"])


def _scores(card: Path) -> list[str]:
    """Read the scores in a model card's front matter, one line per test; [] in another form."""
    import yaml

    try:
        check_regular(card)
        with card.open("rb") as file:
            text = read_at_most(file, LARGEST_CARD, card).decode()
        front = yaml.safe_load(text.split("---\n")[1])
        return [
            f"{_plain(result['dataset']['name'])}, {_plain(result['task']['name'])}: "
            + ", ".join(
                f"{_plain(metric['type'])} {_plain(metric['value'])}"
                for metric in result["metrics"]
            )
            for result in front["model-index"][0]["results"]
        ]
    except (OSError, ValueError, LookupError, TypeError, RecursionError, yaml.YAMLError):
        return []


def _plain(value: Any) -> str:
    """Return a text or number as text; TypeError for what, by aliases, may be endless."""
    if not isinstance(value, str | int | float):
        raise TypeError(f"{type(value).__name__} is neither text nor a number")
    return str(value)
