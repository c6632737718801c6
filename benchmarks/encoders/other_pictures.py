"""Search twenty sentences in the pictures of scikit-image, Matplotlib and scikit-learn.

Encoders learned from photographs of people and dogs outdoors; most of these pictures show other
things. The result has the rank of the picture that a sentence describes, by the cosine alone and
with the encoder's bank of captions.

Example:
  python benchmarks/encoders/other_pictures.py flickr8k-v5 -o other-pictures.csv
"""

import argparse
from pathlib import Path

import matplotlib
import pandas as pd
import skimage
import sklearn
from common import program

from groundvec import Index
from reproduction.arguments import make_parser

SKIMAGE = Path(skimage.__file__).parent / "data"
MATPLOTLIB = Path(matplotlib.get_data_path()) / "sample_data"
SKLEARN = Path(sklearn.__file__).parent / "datasets/images"
SENTENCES = {
    "a woman in an orange space suit smiles": SKIMAGE / "astronaut.png",
    "a brick wall": SKIMAGE / "brick.png",
    "a man with a camera on a tripod": SKIMAGE / "camera.png",
    "a microscope image of a single cell": SKIMAGE / "cell.png",
    "the face of a cat": SKIMAGE / "chelsea.png",
    "a chess board": SKIMAGE / "chessboard_GRAY.png",
    "a clock": SKIMAGE / "clock_motion.png",
    "a cup of coffee": SKIMAGE / "coffee.png",
    "many old coins": SKIMAGE / "coins.png",
    "green grass": SKIMAGE / "grass.png",
    "small stones on the ground": SKIMAGE / "gravel.png",
    "a black horse": SKIMAGE / "horse.png",
    "stars and galaxies": SKIMAGE / "hubble_deep_field.jpg",
    "the surface of the moon": SKIMAGE / "moon.png",
    "a red motorcycle in a garage": SKIMAGE / "motorcycle_left.png",
    "a page of a book": SKIMAGE / "page.png",
    "a rocket on the launch pad": SKIMAGE / "rocket.jpg",
    "an old woman in a uniform and a hat": MATPLOTLIB / "grace_hopper.jpg",
    "a temple with a green roof": SKLEARN / "china.jpg",
    "a red flower": SKLEARN / "flower.jpg",
}
# More pictures, which no sentence describes.
OTHERS = [SKIMAGE / "retina.jpg", SKIMAGE / "text.png"]


def ranks(arguments: argparse.Namespace) -> pd.DataFrame:
    """Rank the pictures by each sentence, with each encoder."""
    rows = []
    for encoder in arguments.encoders:
        pictures = [*SENTENCES.values(), *OTHERS]
        index = Index(pictures, model=encoder)
        for sentence, picture in SENTENCES.items():
            hits = index.search(sentence, len(pictures))
            by_bank = [path for path, _ in hits]
            by_cosine = [path for path, _ in sorted(hits, key=lambda hit: hit[1], reverse=True)]
            row = {
                "encoder": Path(encoder).name,
                "sentence": sentence,
                "picture": picture.name,
                "rank": by_cosine.index(picture) + 1,
                "rank_with_bank": by_bank.index(picture) + 1,
            }
            rows.append(row)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("encoders", nargs="+", help="folders, or names of encoders in the package")
    program(parser, ranks)
