"""Controls, which belong to no paper: what an encoder learns from captions and from images."""

from reproduction.papers import Experiment, Item, Paper

PAPER = Paper(
    name="What pictures teach",
    title="Captions alone, images alone, and both",
    follows="merkx_frank_2019",
    tables={
        "controls": Item(
            inputs=("rated_models", "query_ranks", "predictions", "tasks"),
            when=Experiment.rated,
            caption="""
            The same encoders without training, and trained on captions alone, on images alone
            and on both: correlation with people's ratings, and retrieval if they were trained on
            images. Baselines are below. Ratings of sentences that describe an image or a video
            are separate from ratings of other sentences.
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
)
