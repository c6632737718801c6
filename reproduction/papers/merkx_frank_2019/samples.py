"""Sample retrievals by the selected model, as a picture: not in the paper."""

from pathlib import Path

from reproduction.render.pictures import paths_of
from reproduction.render.samples import samples
from reproduction.render.style import save
from reproduction.reporting.embedded import embed, of_one
from reproduction.reporting.results import Results
from reproduction.reporting.systems import described


def make(results: Results, stem: Path) -> None:
    """Draw retrievals by the selected model's ensemble from one data set's test set."""
    of_one(results.retrieval)
    [(dataset, (model, seed))] = results.selected.items()
    about = described(results.models, dataset, model, seed)
    found = embed(results, about, ensemble=True)
    save(samples(found, paths_of(results, found.image_ids)), stem)
