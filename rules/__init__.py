"""The rules, and their Python: plan.py and experiment.py are tested without Snakemake."""
