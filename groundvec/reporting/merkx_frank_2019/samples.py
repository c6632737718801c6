"""What the selected model retrieves, as a picture: not in the paper."""

from pathlib import Path

from groundvec.errors import InputError
from groundvec.reporting.embedded import embed
from groundvec.reporting.pictures import paths_of
from groundvec.reporting.results import Results
from groundvec.reporting.samples import samples
from groundvec.reporting.style import save
from groundvec.reporting.systems import described


def make(results: Results, stem: Path) -> None:
    """Draw what the selected model's ensemble retrieves of one data set's test set."""
    if len(results.selected) > 1:
        names = ", ".join(results.selected)
        raise InputError(f"samples are of one data set: give the results of one of {names}")
    [(dataset, (model, seed))] = results.selected.items()
    about = described(results.models, dataset, model, seed)
    found = embed(results, about, ensemble=True)
    save(samples(found, paths_of(results, found.image_ids)), stem)
