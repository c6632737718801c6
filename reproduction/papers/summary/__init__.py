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
            What every system reaches: recall on the test set and, where there are ratings,
            correlation with these. Means over seeds, with the range of several.
            """,
        ),
    },
)
