"""Write the rank of every query of a data set's test images, by a trained model's ensemble.

scripts/retrieval.py says how many were found; this says which, so that systems can be compared
query by query.
"""

import argparse
from pathlib import Path

from groundvec.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/ranks.py --model my-model "
    "--captions results/datasets/flickr8k/captions.csv "
    "--features results/features/flickr8k/resnet152.h5 --output ranks.csv",
)
parser.add_argument("--model", type=Path, required=True, help="the folder of a training")
parser.add_argument("--captions", type=Path, required=True, help="a data set's captions.csv")
parser.add_argument("--features", type=Path, required=True, help="HDF5 file of image features")
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--output", type=Path, required=True, help="the CSV to write")


def main(arguments: argparse.Namespace) -> None:
    import numpy as np
    import pandas as pd

    from groundvec.device import choose
    from groundvec.encoder import SentenceEncoder
    from groundvec.evaluation.retrieval import DIRECTIONS, of_test, ranks
    from groundvec.files import write_csv
    from groundvec.model import read_description
    from groundvec.provenance import provenance

    device = choose(threads=arguments.threads)
    about = read_description(arguments.model)
    encoder = SentenceEncoder.load(arguments.model, device=device)
    captions, images = of_test(encoder.models, arguments.captions, arguments.features)
    kind = about["description"]["similarity"]
    found = ranks(encoder.encode(captions.texts), images, captions.image, kind)
    of_images = (captions.image, np.arange(len(images)))
    labels = {name: about[name] for name in ("dataset", "model", "seed")}
    tables = [
        pd.DataFrame({**labels, "direction": direction, "image": image, "rank": rank})
        for direction, image, rank in zip(DIRECTIONS, of_images, found, strict=True)
    ]
    source = {"configuration": about["key"], **provenance(device)}
    write_csv(arguments.output, pd.concat(tables).assign(**source))


if __name__ == "__main__":
    run(main, parser)
