"""Draw sample retrievals by the selected model, which the paper does not show."""

from pathlib import Path

from reproduction.render.pictures import paths_of
from reproduction.render.samples import samples
from reproduction.render.style import save
from reproduction.reporting.embedded import check_one_dataset, embed
from reproduction.reporting.results import Results
from reproduction.reporting.systems import described


def make(results: Results, stem: Path) -> None:
    """Draw retrievals by the selected model's ensemble from one data set's test set."""
    check_one_dataset(results.retrieval)
    [(dataset, (model, seed))] = results.selected.items()
    training = described(results.models, dataset, model, seed)
    embedded = embed(results, training, ensemble=True)
    save(samples(embedded, paths_of(results, embedded.image_ids)), stem)
