"""An ablation, which belongs to no paper: models side by side."""

from reproduction.papers import Paper

PAPER = Paper(name="Ablation", title="Models side by side", follows="merkx_frank_2019")
