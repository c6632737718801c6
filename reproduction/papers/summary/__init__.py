"""The summary of every experiment: all systems in one table, and their learning curves."""

from reproduction.papers import Paper

PAPER = Paper(name="All systems", title="Side by side", follows="merkx_frank_2019", always=True)
