"""Made-up rated pairs, and SentEval's scores of an encoder on them."""

import numpy as np
import pandas as pd

from tests.support.tables import cells


def frozen():
    """Made-up pairs, and a system that knows a sentence by its first word, the number of a vector.

    Two years of STS with three subtasks, and a supervised task; some sentences occur twice, but no
    pair is of equal ones, since the order of such pairs by cosine hangs on the machine's rounding.
    RandomState's numbers are the same in every version of NumPy.
    """
    rng = np.random.RandomState(5)
    vectors = rng.standard_normal((1400, 24)).astype(np.float32)
    rows = []
    for task, subtask, split, n in cells("""
        STS 2012 | MSRpar      | test  | 60
        STS 2012 | MSRvid      | test  | 90
        STS 2013 | FNWN        | test  | 40
        SICK     | Relatedness | train | 300
        SICK     | Relatedness | dev   | 80
        SICK     | Relatedness | test  | 90
    """):
        for _ in range(int(n)):
            i = len(rows) * 2
            j = len(rows) * 2 + 1
            if i and rng.uniform() < 0.1:
                i -= 2  # a sentence of the pair before
            closeness = rng.uniform()
            vectors[j] = closeness * vectors[i] + (1 - closeness) * vectors[j]
            rating = round(5 * float(np.clip(closeness + rng.normal(0, 0.15), 0, 1)), 1)
            # Sentences of 1 to 5 words
            a = f"{i}" + " a" * (i // 2 % 3)
            b = f"{j}" + " a" * (j % 5)
            rows.append((task, subtask, split, a, b, rating))
    columns = ["task", "subtask", "split", "sentence_a", "sentence_b", "rating"]
    return pd.DataFrame(rows, columns=columns), vectors


def encoder(vectors):
    return lambda sentences: vectors[[int(s.split()[0]) for s in sentences]]


# Pearson and Spearman that SentEval's own code (commit 5d6dc11) gives for `frozen`.
SENTEVAL = cells("""
    STS 2012 | MSRpar      | correlation   | cosine     | 0.803845447 | 0.846707088
    STS 2012 | MSRvid      | correlation   | cosine     | 0.794084152 | 0.840822077
    STS 2012 | all         | mean          | cosine     | 0.798964799 | 0.843764582
    STS 2012 | all         | weighted mean | cosine     | 0.797988670 | 0.843176081
    STS 2013 | FNWN        | correlation   | cosine     | 0.759176583 | 0.811752157
    STS 2013 | all         | mean          | cosine     | 0.759176583 | 0.811752157
    STS 2013 | all         | weighted mean | cosine     | 0.759176583 | 0.811752157
    SICK     | Relatedness | correlation   | classifier | 0.843720222 | 0.837853178
""")
