"""An ablation, which belongs to no paper: models side by side."""

from reproduction.papers import Item, Paper

PAPER = Paper(
    name="Ablation",
    title="Models side by side",
    follows="merkx_frank_2019",
    tables={
        "ablation": Item(
            inputs=("trained", "query_ranks", "history", "predictions_of_models"),
            caption="""
            Models side by side, to show the effect of each part: recall on the test images and,
            with ratings, correlation with these. In brackets is the difference from the first
            model, with the 95% interval of a paired bootstrap.
            """,
        ),
    },
)
