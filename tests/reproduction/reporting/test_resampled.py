"""Scores of systems in the draws of a bootstrap."""

import pandas as pd

from reproduction.reporting import resampled


def test_only_pictures_with_queries_of_a_direction_are_drawn():
    """Two of 20 pictures have another caption: in one draw of eight neither is among 20 drawn."""
    about = {"dataset": "scenes", "model": "BoW", "seed": 1, "language": "en", "kind": "ensemble"}
    images = {"caption_to_image": [*range(20), 3, 7], "caption_to_caption": [3, 3, 7, 7]}
    ranks = pd.DataFrame(
        {**about, "epochs": "4", "direction": direction, "image": image, "rank": 1 + image}
        for direction, of_queries in images.items()
        for image in of_queries
    )
    [of_images, of_captions] = resampled.mean_ranks(ranks)["draws"]
    assert of_images[0] == (sum(range(1, 21)) + 4 + 8) / 22
    assert set(of_captions) == {4, 6, 8} and of_captions[0] == 6
