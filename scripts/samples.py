"""Draw what the selected model retrieves for a few test captions and test images.

It is the ensemble that retrieves best on the development set, of those whose scores are given.
Writes STEM.pdf and STEM.png.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/samples.py "
    "--ensembles results/demo/models/scenes/*/*/ensemble.json "
    "--measured results/demo/retrieval/scenes/*/*.csv "
    "--captions results/datasets/scenes/captions.csv "
    "--images results/datasets/scenes/images.csv "
    "--features results/features/scenes/efficientnet_lite0.h5 --output samples",
)
parser.add_argument(
    "--ensembles",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/ensemble.py wrote, as <dataset>/<cell>/seed<k>/ensemble.json",
)
parser.add_argument(
    "--measured",
    type=Path,
    nargs="+",
    required=True,
    help="what scripts/retrieval.py wrote, of one data set: selects the model",
)
parser.add_argument("--captions", type=Path, required=True, help="a data set's captions.csv")
parser.add_argument("--images", type=Path, required=True, help="a data set's images.csv")
parser.add_argument("--features", type=Path, required=True, help="HDF5 file of image features")
parser.add_argument("--count", type=int, default=3, help="queries each way (default: 3)")
parser.add_argument("--seed", type=int, default=1, help="of their choice (default: 1)")
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--output", type=Path, required=True, help="the files to write, as a stem")


def main(arguments: argparse.Namespace) -> None:
    from groundvec.data import schema
    from groundvec.device import choose
    from groundvec.errors import InputError
    from groundvec.models.model import SentenceEncoder, ensemble, read_description
    from groundvec.reporting import results, style
    from groundvec.reporting.samples import samples
    from groundvec.training.pairs import CAPTIONS_PER_IMAGE, load_pairs

    device = choose("cpu", arguments.threads)  # one test set, for which no GPU is asked
    [(dataset, (cell, seed))] = results.selected(results.read_retrieval(arguments.measured)).items()
    place = Path(dataset, cell, f"seed{seed}")
    folders = [path.parent for path in arguments.ensembles]
    folder = next((f for f in folders if f.parts[-3:] == place.parts), None)
    if not folder:
        raise InputError(f"--ensembles has none in {place}, which --measured selects: name it")
    models = SentenceEncoder(folder, device=device).models
    language = read_description(folder)["language"]
    captions = schema.read_captions(arguments.captions, language)
    test = captions[captions["split"] == "test"].groupby("image_id").head(CAPTIONS_PER_IMAGE)
    pairs = load_pairs(captions, arguments.features, models[0].vocabulary, "test")
    path_of = schema.read_images(arguments.images).set_index("image_id")["path"]
    missing = set(pairs.image_ids) - set(path_of.index)
    if missing:
        raise InputError(
            f"{arguments.images} has no row of the image {min(missing)} (of {len(missing)} in all "
            f"that {arguments.captions} has captions of): build the data set again"
        )
    figure = samples(
        test["caption"].tolist(),
        path_of[pairs.image_ids].tolist(),
        ensemble([model.encode_captions(pairs.captions, progress=True) for model in models]),
        ensemble([model.encode_images(pairs.features) for model in models]),
        pairs.image,
        arguments.count,
        arguments.seed,
    )
    style.save(figure, arguments.output)
    logging.info("%s, seed %d, is selected", cell, seed)
    logging.info("written: %s.pdf and %s.png", arguments.output, arguments.output)


if __name__ == "__main__":
    run(main, parser)
