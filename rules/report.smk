"""The papers' tables and figures, for `results/` and for `snakemake --report`.

Each paper's folder, reproduction/papers/PAPER, describes their inputs; items.py finds the files.
"""

SHOWN = {"html": "Tables", "png": "Figures"}  # in the report of `snakemake --report`


def written(paper, kind, stem):
    """Return a table or figure in all formats, one of which is for Snakemake's report."""
    path = f"<experiment>/{paper}/{kind}/{stem}"
    files = [f"{path}.{form}" for form in FORMATS[kind] if form not in SHOWN]
    [shown] = [form for form in FORMATS[kind] if form in SHOWN]
    category = SHOWN[shown]
    page = report(f"{path}.{shown}", caption="../report/caption.rst", category=category)
    return [*files, page]


def files_of(paper, name):
    """Return the files of a table or figure: patterns, if there is one per data set."""
    item = items.item(paper, name)
    kind = "figures" if name in plan.papers[paper].figures else "tables"
    stem = f"{name}-{{dataset}}" if item.per_dataset else name
    files = written(paper, kind, stem)
    for suffix in item.more:
        files += written(paper, kind, f"{stem}-{suffix}")
    for suffix in item.numbers:
        files.append(f"<experiment>/{paper}/tables/{stem}-{suffix}.csv")
    return files


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
            **inputs,
        output:
            *files_of(paper, name),
        log:
            f"<experiment>/logs/{paper}/{name}{'-{dataset}' if item.per_dataset else ''}.log",
        # Items made once per data set load a network.
        localrule: not item.per_dataset
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
