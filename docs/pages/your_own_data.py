"""docs/your-own-data.md: retrieval by the number of training images, and fine-tuning."""

import pandas as pd

from docs.pages.tables import kept, markdown, mean_and_range
from groundvec.card.text import MISSING

RECALLS = {
    "caption_to_image_r1": "R@1",
    "caption_to_image_r5": "R@5",
    "caption_to_image_r10": "R@10",
    "image_to_caption_r10": "R@10, captions by pictures",
}


def few_pictures() -> str:
    """Write the recalls by the number of training images: mean, lowest and highest over seeds."""
    table = kept("few-pictures/snapshots").query("kind == 'ensemble'")
    # The data set `few-100` has 100 training images; all of Flickr8k has 6,000.
    names = table["dataset"].replace("flickr8k", "few-6000").str.removeprefix("few-")
    table = table.set_index(names.astype(int).rename("training pictures"))
    recalls = table[list(RECALLS)].rename(columns=RECALLS).sort_index(kind="stable")
    page_table = recalls.apply(mean_and_range, by="training pictures").reset_index()
    page_table["training pictures"] = page_table["training pictures"].map("{:,}".format)
    return markdown(page_table, 1)


def fine_tuning() -> str:
    """Write R@1 of images by captions before and after a training: mean, lowest and highest."""
    table = kept("fine-tuning/recalls")
    table["pictures"] = table["dataset"] + ", " + table["pictures"].map("{:,}".format)
    recall = "caption_to_image_r1"
    table["gain"] = table[f"own_{recall}"] - table[f"shipped_{recall}"]
    columns = {
        "`flickr8k`": ("flickr8k", f"shipped_{recall}"),
        "fine-tuned": ("flickr8k", f"own_{recall}"),
        "gain": ("flickr8k", "gain"),
        "trained anew": ("none", f"own_{recall}"),
        "CPU minutes": ("flickr8k", "cpu_minutes"),
        "anew": ("none", "cpu_minutes"),
    }
    measured = {
        name: mean_and_range(
            table.query("start == @start").set_index("pictures")[column], by="pictures"
        )
        for name, (start, column) in columns.items()
    }
    rows = pd.DataFrame(measured, index=table["pictures"].unique()).fillna(MISSING)
    return markdown(rows.rename_axis("pictures").reset_index(), 1)
