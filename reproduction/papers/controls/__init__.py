"""Controls, which belong to no paper: what an encoder learns from captions and from images."""

from reproduction.papers import Experiment, Item, Paper

PAPER = Paper(
    name="What pictures teach",
    title="Grouping, content and captions: what images teach",
    follows="merkx_frank_2019",
    tables={
        "controls": Item(
            inputs=("rated_models", "query_ranks", "predictions", "tasks"),
            when=Experiment.rated,
            caption="""
            The same encoders without training, and trained on a caption with itself, on permuted
            images, on images, on captions of one image and on both: correlation with people's
            ratings, and retrieval if they were trained on their own images. Baselines are below.
            Ratings of sentences that describe an image or a video are separate from others.
            """,
        ),
        "claims": Item(
            inputs=("rated_models", "query_ranks", "predictions", "tasks"),
            when=Experiment.rated,
            verdicts=True,
            caption="""
            The effect of captions and of images: differences between rows of the table of controls.
            """,
        ),
    },
    figures={
        "differences": Item(
            tables=("claims",),
            when=Experiment.rated,
            caption="""
            Differences between training signals, with 95% intervals. A row is a comparison; a
            panel, a measure; a color, an encoder. Filled markers: the difference is shown after
            Holm's correction for all comparisons.
            """,
        ),
    },
)
