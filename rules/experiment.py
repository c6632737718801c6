"""The configuration of an experiment, completed: with the papers and ratings of the study.

`groundvec.config.experiment` judges it. Like plan.py, this module needs no Snakemake.
"""

from typing import Any

from groundvec.config import experiment
from reproduction import papers


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration with every default filled in; see `experiment.complete`."""
    described = papers.known()
    selecting = {name: described[name].reads("selected") for name in papers.named()}
    return experiment.complete(config, selecting, subtasks)


def subtasks(source: str) -> list[str]:
    """List the subtasks of a source of ratings, such as `STS 2015/Images`."""
    # Imported here, as few configurations name a subtask, and every job reads the configuration.
    if source == "sts":
        from groundvec.data.ratings import SICK, STS, STSB

        pairs = [(task, subtask) for task, of_task in STS.items() for subtask, *_ in of_task]
        pairs += [STSB[:2], SICK[:2]]
    else:
        from reproduction.scenes.ratings import SOURCES

        pairs = list(SOURCES)
    return ["/".join(pair) for pair in pairs]
