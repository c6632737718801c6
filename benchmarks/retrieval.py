"""The time to rank every caption among all images, and every image among all captions.

The full size is that of MSCOCO's test set: 5,000 images and 25,000 captions, in vectors of 4,096.
"""

import numpy as np
from measure import Row, clock_of, cores, multiplier, program, row, work
from threadpoolctl import threadpool_limits

from groundvec.evaluation.retrieval import rank_both_ways, scored


def rows(small: bool) -> list[Row]:
    images, size, every = (50, 64, 10) if small else (5000, 4096, 50)
    rng = np.random.default_rng(0)
    embedded = rng.standard_normal((6 * images, size), np.float32)
    embedded /= np.linalg.norm(embedded, axis=1, keepdims=True)
    of_images = embedded[:images]
    of_captions = embedded[images:]
    image = np.repeat(np.arange(images), 5)
    block = min(1000, images)

    def plain() -> None:
        """Sort all candidates of a part of the queries."""
        some_captions, some_images = (np.arange(0, n, every) for n in (5 * images, images))
        near = of_captions[some_captions] @ of_images.T
        for scores, own in zip(near, image[some_captions], strict=True):
            (np.argsort(-scores) == own).argmax()
        near = of_images[some_images] @ of_captions.T
        for scores, own in zip(near, some_images, strict=True):
            (image[np.argsort(-scores)] == own).argmax()

    contestants = (
        work(1, lambda: scored(rank_both_ways(of_captions, of_images, image))),
        work(1 / every, plain),
        work(block / (5 * images), multiplier(block, size, images), times=5 * images // block),
    )
    what = f"{images:,} images, {5 * images:,} captions, size {size:,}, both directions"
    result = []
    for threads in sorted({1, cores()}):
        with threadpool_limits(threads):
            found = row(what, "s", *contestants, clock=clock_of(threads))
            result.append(found | {"threads": threads})
    return result


if __name__ == "__main__":
    program(__doc__, rows)
