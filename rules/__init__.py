"""The rules, and their Python: plan.py, items.py and experiment.py are tested without Snakemake."""
