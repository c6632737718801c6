"""Files in the form of Multi30k."""

import gzip
from itertools import product


def write(path, lines):
    data = "".join(f"{line}\n" for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def small(root, described, translated, sentence):
    """Files of the same form as Multi30k's: names of images by split, in task 2 and in task 1.

    `sentence(name, language, k)` is the k-th description of an image; without k, its translation.
    """
    for split, names in described.items():
        write(root / f"task2/image_splits/{split}_images.txt", names)
        for k, language in product(range(1, 6), ("en", "de")):
            lines = [sentence(name, language, k) for name in names]
            write(root / f"task2/raw/{split}.{k}.{language}.gz", lines)
    for split, names in translated.items():
        write(root / f"task1/image_splits/{split}.txt", names)
        for language in ("en", "de"):
            write(root / f"task1/raw/{split}.{language}.gz", [sentence(n, language) for n in names])
    return root
