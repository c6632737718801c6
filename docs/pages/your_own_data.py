"""docs/your-own-data.md: retrieval by the number of training images."""

from docs.pages.tables import kept, markdown, mean_and_range

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
