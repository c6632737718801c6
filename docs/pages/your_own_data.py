"""docs/your-own-data.md: retrieval by the number of training images."""

import pandas as pd
from matplotlib.figure import Figure

from docs.pages.tables import kept, markdown, mean_and_range, svg
from reproduction.render.style import BLUE, COLUMN, GREEN, VERMILLION, styled

RECALLS = {
    "caption_to_image_r1": "R@1",
    "caption_to_image_r5": "R@5",
    "caption_to_image_r10": "R@10",
    "image_to_caption_r10": "R@10, captions by pictures",
}


def by_pictures() -> pd.DataFrame:
    """Read the recalls of each seed, by the number of training images."""
    table = kept("few-pictures/snapshots").query("kind == 'ensemble'")
    # The data set `few-100` has 100 training images; all of Flickr8k has 6,000.
    names = table["dataset"].replace("flickr8k", "few-6000").str.removeprefix("few-")
    table = table.set_index(names.astype(int).rename("training pictures"))
    return table[list(RECALLS)].rename(columns=RECALLS).sort_index(kind="stable")


def few_pictures() -> str:
    """Write the recalls by the number of training images."""
    page_table = by_pictures().apply(mean_and_range, by="training pictures").reset_index()
    page_table["training pictures"] = page_table["training pictures"].map("{:,}".format)
    return markdown(page_table, 1)


@styled
def curve() -> Figure:
    """Draw the recalls by the number of training images."""
    groups = by_pictures().groupby(level=0)
    mean = groups.mean()
    low = groups.min()
    high = groups.max()
    figure = Figure(figsize=(COLUMN, 2.2), layout="constrained")
    axes = figure.subplots()
    for measure, colour in (("R@10", BLUE), ("R@5", VERMILLION), ("R@1", GREEN)):
        halves = [mean[measure] - low[measure], high[measure] - mean[measure]]
        axes.errorbar(mean.index, mean[measure], halves, marker="o", color=colour, label=measure)
    axes.set(xscale="log", ylim=(0, None), xlabel="training pictures", ylabel="captions, percent")
    axes.set_xticks(mean.index, [f"{size:,}" for size in mean.index])
    axes.minorticks_off()
    axes.legend()
    return figure


FILES = {"images/few-pictures.svg": lambda: svg(curve())}
