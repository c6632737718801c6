"""Measure the time to rank all images for every caption, and all captions for every image.

The full size is MSCOCO's test set, 5,000 images and 25,000 captions, in vectors of 4,096 numbers.
"""

import numpy as np
from measure import Row, program, row, work
from threadpoolctl import threadpool_limits

from groundvec.evaluation.retrieval import rank_both_ways, scored
from groundvec.runtime.jobs import cores


def rows(small: bool) -> list[Row]:
    images, size, every = (50, 64, 10) if small else (5000, 4096, 50)
    rng = np.random.default_rng(0)
    embedded = rng.standard_normal((6 * images, size), np.float32)
    # Unit vectors, so that products are cosines.
    embedded /= np.linalg.norm(embedded, axis=1, keepdims=True)
    of_images = embedded[:images]
    of_captions = embedded[images:]
    image = np.repeat(np.arange(images), 5)

    def plain() -> None:
        """Sort all candidates for a part of the queries."""
        some_captions = np.arange(0, 5 * images, every)
        some_images = np.arange(0, images, every)
        similarities = of_captions[some_captions] @ of_images.T
        for scores, right in zip(similarities, image[some_captions], strict=True):
            (np.argsort(-scores) == right).argmax()
        similarities = of_images[some_images] @ of_captions.T
        for scores, right in zip(similarities, some_images, strict=True):
            (image[np.argsort(-scores)] == right).argmax()

    contestants = (
        work(1, lambda: scored(rank_both_ways(of_captions, of_images, image))),
        work(1 / every, plain),
        work(1, np.matmul, of_captions, of_images.T),
    )
    what = f"{images:,} images, {5 * images:,} captions, size {size:,}, both directions"
    measured = []
    for threads in sorted({1, cores()}):
        with threadpool_limits(threads):
            measured.append(row(what, "s", *contestants, threads=threads))
    return measured


if __name__ == "__main__":
    program(__doc__, rows)
