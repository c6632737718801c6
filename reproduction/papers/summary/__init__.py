"""The summary of every experiment: all systems in one table."""

from reproduction.papers import Item, Paper

PAPER = Paper(
    name="All systems",
    title="Side by side",
    follows="merkx_frank_2019",
    always=True,
    tables={
        "summary": Item(
            inputs=("trained", "scores"),
            caption="""
            Scores of every system: recall on the test set and, with ratings, correlation with
            these. Means over seeds, with the range if there are several.
            """,
        ),
    },
)
