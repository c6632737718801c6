"""An ablation, which no paper shows: models side by side."""

from reproduction.papers import Item, Paper

PAPER = Paper(
    name="Ablation",
    title="Models side by side",
    follows="merkx_frank_2019",
    tables={
        "ablation": Item(
            inputs=("query_ranks", "history", "predictions_of_models"),
            caption="""
            Models side by side: what each part gives. Measured on the test pictures and, where
            there are ratings, on these; behind each value its difference from the first model,
            with the 95% interval of a paired bootstrap.
            """,
        ),
    },
    figures={
        "learning": Item(
            inputs=("history",),
            caption="""
            How models learn: the loss, as a share of the first epoch's, and R@10 on the
            development set (mean of both directions) after every epoch, and R@10 by the minutes
            that training had taken until then, whatever else the machine did meanwhile. Means
            over the seeds.
            """,
        ),
    },
)
