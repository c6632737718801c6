"""The papers' tables and figures, for `results/` and for `snakemake --report`.

What they are made of is described in each paper's folder, groundvec/papers/PAPER, and in items.py.
"""


def table(paper, name):
    """A table as CSV, JSON, LaTeX, Markdown and HTML, the last for the report."""
    stem = f"<experiment>/{paper}/tables/{name}"
    page = report(f"{stem}.html", caption="../report/caption.rst", category="Tables")
    return [f"{stem}.csv", f"{stem}.json", f"{stem}.tex", f"{stem}.md", page]


def figure(paper, name):
    """A figure as PDF, PNG and SVG, the last two for reports."""
    stem = f"<experiment>/{paper}/figures/{name}"
    picture = report(f"{stem}.png", caption="../report/caption.rst", category="Figures")
    return [f"{stem}.pdf", picture, f"{stem}.svg"]


def files_of(paper, name):
    """The files of a table or figure; of one for each data set or system, a pattern."""
    item = items.item(paper, name)
    stem = f"{name}-{{{item.each}}}" if item.each else name
    if name in plan.papers[paper].figures:
        return figure(paper, stem)
    return [
        *table(paper, stem),
        *(file for suffix in item.more for file in table(paper, f"{stem}-{suffix}")),
        *(f"<experiment>/{paper}/tables/{stem}-{key}.csv" for key in item.numbers),
    ]


def caption(paper, name):
    """For a rule's params: a function of the output, so that another caption makes nothing anew."""
    return lambda wildcards, output: items.item(paper, name).text


for paper, name in [key for key, names in items.names.items() if names]:
    item, inputs = items.item(paper, name), items.inputs(paper, name)

    rule:
        name:
            f"{paper}_{name}"
        input:
            ensembles(inputs.get("models", [])),
            **inputs,
        output:
            *files_of(paper, name),
        log:
            f"<experiment>/logs/{paper}/{name}{f'-{{{item.each}}}' if item.each else ''}.log",
        # What there is one of for each data set loads a network.
        localrule: item.each != "dataset"
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
            code=code(f"groundvec/papers/{paper}/{name}.py"),
        # Snakemake reads this when a job starts, so that the loops' variables are no use in it.
        shell:
            # --overwrite: as in the rule train.
            'python "$GROUNDVEC/scripts/report.py" {params.item:q} {params.files:q} {params.options:q} '
            "--output {params.stem:q} --overwrite --log {log:q}"
