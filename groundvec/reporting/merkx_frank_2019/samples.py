"""What the selected model retrieves, as a picture: not in the paper."""

from functools import partial
from pathlib import Path
from typing import Any

from groundvec.data import schema
from groundvec.data.split import drawn, load_split
from groundvec.errors import InputError
from groundvec.reporting.results import Results
from groundvec.reporting.samples import samples
from groundvec.reporting.style import save
from groundvec.reporting.systems import described
from groundvec.similarity import join


def make(results: Results, stem: Path) -> None:
    """Draw what the selected model's ensemble retrieves of one data set's test set."""
    if len(results.selected) > 1:
        names = ", ".join(results.selected)
        raise InputError(f"samples are of one data set: give the results of one of {names}")
    [(dataset, (model, seed))] = results.selected.items()
    about = described(results.models, dataset, model, seed)
    files = (results[kind] for kind in ("captions", "images", "features"))
    save(samples(**embedded(Path(about["folder"]), about["languages"][0], *files)), stem)


def embedded(
    folder: Path, language: str, captions: Path, images: Path, features: Path
) -> dict[str, Any]:
    """The arguments of `samples` for the ensemble of a training and the test set of its data.

    Raises:
        InputError: there are no test captions in this language, or no row of an image.
    """
    # Torch takes seconds to import, and no other table or figure needs it.
    from groundvec.device import choose
    from groundvec.features import store
    from groundvec.model import load_ensemble, read_description

    models = load_ensemble(folder, device=choose("cpu"))
    table, similarity = schema.read_captions(captions), models[0].similarity
    about = read_description(folder)
    if "draw" in about:
        table = drawn(table, about["draw"], about["seed"])
    split = load_split(table, "test", partial(store.read, features), models[0].texts)
    own = split.captions[language]
    path_of = schema.read_images(images).set_index("image_id")["path"]
    missing = set(split.image_ids) - set(path_of.index)
    if missing:
        raise InputError(
            f"{images} has no row of the image {min(missing)} (of {len(missing)} in all "
            f"that {captions} has captions of): build the data set again"
        )
    return {
        "captions": own.texts,
        "paths": path_of[split.image_ids].tolist(),
        "caption_vectors": join(
            [model.encode_captions(own.encoded, language, progress=True) for model in models],
            similarity,
        ),
        "image_vectors": join(
            [model.encode_images(split.features) for model in models], similarity
        ),
        "image": own.image,
        "similarity": similarity,
    }
