"""Sample retrievals by the first seed of the SDT-RNN (Socher et al. 2014, Figure 6)."""

from pathlib import Path

from groundvec.data import schema
from groundvec.errors import InputError
from groundvec.reporting.embedded import embed, of_one, remember_treebanks
from groundvec.reporting.labels import trained_as
from groundvec.reporting.results import Results
from groundvec.reporting.samples import samples
from groundvec.reporting.style import save


def make(results: Results, stem: Path) -> None:
    """Draw what the SDT-RNN retrieves of one data set's test set."""
    about = of_one(trained_as(results.models, "SDT-RNN")).iloc[0]
    remember_treebanks(results)
    found = embed(results, about)
    path_of = schema.read_images(results["images"]).set_index("image_id")["path"]
    if missing := set(found.image_ids) - set(path_of.index):
        raise InputError(
            f"{results['images']} has no row of the image {min(missing)} (of {len(missing)} in all "
            f"that {results['captions']} has captions of): build the data set again"
        )
    figure = samples(
        found.captions,
        path_of[found.image_ids].tolist(),
        found.caption_vectors,
        found.image_vectors,
        found.image,
        found.similarity,
    )
    save(figure, stem)
