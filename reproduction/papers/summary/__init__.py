"""The summary of every experiment: all systems in one table, and their learning curves."""

from reproduction.papers import Item, Paper

PAPER = Paper(
    name="All systems",
    title="Side by side",
    follows="merkx_frank_2019",
    always=True,
    tables={
        "summary": Item(
            inputs=("trained", "scores"),
            files=(
                "merkx_frank_2019/reported/table2.csv",
                "merkx_frank_2019/reported/table_s1.csv",
            ),
            caption="""
            Scores of every system: recall on the test set and, with ratings, correlation with
            these. Means over seeds, with the range if there are several.
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
