"""The configuration of an experiment, completed: with the papers of the study.

`groundvec.config.experiment` judges it. Like plan.py, this module needs no Snakemake.
"""

from typing import Any

from groundvec.config import experiment
from reproduction import papers


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration with every default filled in; see `experiment.complete`."""
    described = papers.known()
    selecting = {name: described[name].reads("selected") for name in papers.named()}
    return experiment.complete(config, selecting)
