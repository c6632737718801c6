"""Small results for tests of tables and figures."""

import pandas as pd
import pytest

from tests.support.result_files import SYSTEM, TRAININGS, predictions, read_table
from tests.support.retrieval_scores import results_of, training


@pytest.fixture
def retrieval(tmp_path):
    """Options of scripts/report.py for models, and for retrieval scores that select SYSTEM."""
    trainings = [
        training("flickr8k", model, seed, dev=(r10, r10), snapshots=(4,))
        for model, seed, r10 in TRAININGS
    ]
    return results_of(tmp_path, *trainings)


@pytest.fixture
def files(tmp_path):
    """Files of the predictions of two systems, and a file of the rated pairs."""
    ours = [
        # z(rating) * z(cosine): pair 0: -1.0 * 1 < 0; pair 1: > 0; pair 2: 1.4 * 0.9 is most.
        predictions(SYSTEM, "4", "ensemble", [0.5, 0.1, 0.6, 0.9, 0.9, 0.1], [3.5, 3.1, 3.0]),
        predictions(SYSTEM, "4", "snapshot", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
        predictions(SYSTEM, "0", "snapshot", [0.5] * 6),
    ]
    paths = [tmp_path / "ours.csv", tmp_path / "trigrams.csv"]
    pd.concat(ours).to_csv(paths[0], index=False)
    cosines = [0.6, 0.1, 0.5, 0.1, 0.2, 0.3]
    predictions("trigrams", None, "baseline", cosines).to_csv(paths[1], index=False)
    pairs = read_table("""
        task     | subtask     | split | sentence_a                | sentence_b | rating
        Scenes   | colour      | test  | a 0 *costs* $5 & 3% <b>   | b 0        | 0
        Scenes   | colour      | test  | a 1 *costs* $5 & 3% <b>   | b 1        | 1
        Scenes   | colour      | test  | a 2 *costs* $5 & 3% <b>   | b 2        | 5
        Scenes-R | Relatedness | train | a 3 *costs* $5 & 3% <b>   | b 3        | 1
        Scenes-R | Relatedness | test  | a 4 *costs* $5 & 3% <b>   | b 4        | 2
        Scenes-R | Relatedness | test  | a 5 *costs* $5 & 3% <b>   | b 5        | 3
        Scenes-R | Relatedness | test  | a 6 *costs* $5 & 3% <b>   | b 6        | 4
    """)
    pairs.to_csv(tmp_path / "ratings.csv", index=False)
    return paths
