"""Controls, which belong to no paper: what an encoder learns from captions and from images."""

from reproduction.papers import Paper

PAPER = Paper(
    name="What pictures teach",
    title="Grouping, content and captions: what images teach",
    follows="merkx_frank_2019",
    verdicts=("claims",),
)
