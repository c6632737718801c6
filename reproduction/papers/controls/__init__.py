"""Controls, which no paper shows: what an encoder learns from captions, and what from images."""

from reproduction.papers import Experiment, Item, Paper

PAPER = Paper(
    name="What pictures teach",
    citation={"title": "Captions alone, images alone, and both"},
    follows="merkx_frank_2019",
    tables={
        "controls": Item(
            inputs=("rated_models", "query_ranks", "predictions", "tasks"),
            when=Experiment.rated,
            caption="""
            The same encoders, trained on nothing, on captions alone, on images alone and on both:
            correlation with people's ratings, and retrieval where images were learned from.
            Baselines stand below. Ratings of sentences that describe an image or a video are apart
            from ratings of other sentences.
            """,
        ),
        "claims": Item(
            inputs=("rated_models", "query_ranks", "predictions", "tasks"),
            when=Experiment.rated,
            caption="""
            What captions and images teach: differences between the rows of the table of controls.
            """,
        ),
    },
)
