"""An ablation, which belongs to no paper: models side by side."""

from reproduction.papers import Item, Paper

PAPER = Paper(
    name="Ablation",
    title="Models side by side",
    follows="merkx_frank_2019",
    tables={
        "ablation": Item(
            inputs=("query_ranks", "history", "predictions_of_models"),
            caption="""
            Models side by side, to show the effect of each part: recall on the test images and,
            with ratings, correlation with these. In brackets is the difference from the first
            model, with the 95% interval of a paired bootstrap.
            """,
        ),
    },
    figures={
        "learning": Item(
            inputs=("history",),
            caption="""
            Learning curves: the loss relative to the first epoch's, and R@10 on the development
            set (mean of both directions), after every epoch; and R@10 by the minutes of
            training, which include the time of other programs. Means over the seeds.
            """,
        ),
    },
)
