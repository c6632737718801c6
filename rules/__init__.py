"""The rules, and what they need to know: `plan` is Python that is tested without Snakemake."""
