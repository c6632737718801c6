"""The papers' tables and figures, for `results/` and for `snakemake --report`.

Each paper's folder, reproduction/papers/PAPER, describes their inputs; items.py finds the files.
"""

# The kinds of files that the report of `snakemake --report` shows, and its headings for them.
SHOWN = {".html": "Tables", ".png": "Figures"}


def with_report(path):
    """Return an output, which Snakemake's report shows if it is of such a kind."""
    category = SHOWN.get(Path(path).suffix)
    if category is None:
        return path
    return report(path, caption="../report/caption.rst", category=category)


def caption(paper, name):
    """Return a param that is a function of the output: another caption makes nothing again."""
    return lambda wildcards, output: items.item(paper, name).text


for paper, name in [key for key, names in items.names.items() if names]:
    item = items.item(paper, name)
    inputs = items.inputs(paper, name)

    rule:
        name:
            f"{paper}_{name}"
        input:
            ensembles(inputs.get("models", [])),
            [project_file(f"reproduction/papers/{file}") for file in item.files],
            **inputs,
        output:
            *map(with_report, items.outputs(paper, name)),
        log:
            f"<experiment>/logs/{paper}/{name}{'-{dataset}' if item.per_dataset else ''}.log",
        # On a cluster, items that may load a network are jobs of their own.
        localrule: not (item.per_dataset or "models" in item.inputs)
        conda:
            ENVIRONMENT
        resources:
            mem_mb=gigabytes(8),
            runtime=hours(1),
        params:
            item=f"{paper}/{name}",
            files=file_options,
            options=items.options(paper, name),
            stem=stem,
            caption=caption(paper, name),
            code=code(f"reproduction/papers/{paper}/{name}.py"),
        # Snakemake fills this in when a job starts, after the loop: its variables have other values.
        shell:
            'python "$GROUNDVEC/scripts/report.py" {params.item:q} {params.files:q} {params.options:q} '
            "--output {params.stem:q} --overwrite --log {log:q}"
