"""The papers' tables and figures, for `results/` and for `snakemake --report`."""

PAPERS = [paper for paper in (MERKX, SOCHER, CALIXTO, OURS) if shown_in(paper)]


def table(paper, name):
    """A table as CSV, JSON, LaTeX, Markdown and HTML, the last for the report."""
    stem = f"<experiment>/{paper}/tables/{name}"
    page = report(f"{stem}.html", caption=caption(paper, name), category="Tables")
    return [f"{stem}.csv", f"{stem}.json", f"{stem}.tex", f"{stem}.md", page]


def pictures(paper, name):
    """A figure as PDF, PNG and SVG, the last two for reports."""
    stem = f"<experiment>/{paper}/figures/{name}"
    picture = report(f"{stem}.png", caption=caption(paper, name), category="Figures")
    return [f"{stem}.pdf", picture, f"{stem}.svg"]


def caption(paper, name):
    return f"../report/{paper}/{name.partition('-')[0]}.rst"


def reported(paper, name):
    return f"resources/{paper}/{name}.csv"


def as_options(wildcards, input):
    """For a rule's params: its inputs, as the options of scripts/report.py of the same names."""
    return [
        word
        for kind, paths in input.items()
        for word in (
            f"--{kind.replace('_', '-')}",
            *([paths] if isinstance(paths, str) else paths),
        )
    ]


def trained(datasets):
    """For a rule's input: what the models of some data sets are, and their scores.

    Of a rule for one data set, those of that alone.
    """

    def of(pattern):
        return lambda wildcards: every_model(
            pattern, [wildcards.dataset] if wildcards else datasets
        )

    return {
        "models": of(f"{MODEL}/model.json"),
        "retrieval": of(f"{RETRIEVAL}.csv"),
    }


def ensembles(models):
    """A function for a rule's input: which snapshots of these models are best.

    They are no options of the script: they lie beside the model.json that are.
    """

    def beside(wildcards):
        paths = models(wildcards) if callable(models) else models
        return [path.replace("model.json", "ensemble.json") for path in paths]

    return beside


def several_models(paper, count=2):
    """Whether a data set has several models, so that there is something to compare."""
    return any(len(DATASETS[name]["models"]) >= count for name in shown_in(paper))


def models(paper):
    """The descriptions of all models that a paper shows."""
    return [
        model for name in shown_in(paper) for model in DATASETS[name]["models"].values()
    ]


# By paper, filled in by its own file: what each table or figure needs, which are options of
# scripts/report.py, and their files; what is written beside a table; options that are no files; and
# the names of the tables and figures that `all` makes.
TABLES, FIGURES, BESIDE, OPTIONS = {}, {}, {}, {}
WANTED_TABLES, WANTED_FIGURES = {}, {}


for paper in PAPERS:

    include: f"{paper}.smk"


for paper in PAPERS:
    for item, inputs in {**TABLES[paper], **FIGURES[paper]}.items():

        rule:
            name:
                f"{paper}_{item}"
            input:
                ensembles(inputs.get("models", [])),
                **inputs,
            output:
                *(table if item in TABLES[paper] else pictures)(paper, item),
                *BESIDE[paper].get(item, []),
            log:
                f"<experiment>/logs/{paper}/{item}.log",
            localrule: True
            conda:
                ENVIRONMENT
            params:
                item=f"{paper}/{item}",
                files=as_options,
                options=options(OPTIONS[paper].get(item, {})),
                stem=stem,
                code=code(f"groundvec/reporting/{paper}/{item}.py"),
            # Snakemake reads this when a job starts, so that the loops' variables are no use in it.
            shell:
                "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
                "--output {params.stem:q} --log {log:q}"


def tables():
    return [
        f"<experiment>/{paper}/tables/{name}.{suffix}"
        for paper in PAPERS
        for name in sorted(WANTED_TABLES[paper])
        for suffix in ("csv", "html", "json", "md", "tex")
    ]


def figures():
    return [
        f"<experiment>/{paper}/figures/{name}.{suffix}"
        for paper in PAPERS
        for name in sorted(WANTED_FIGURES[paper])
        for suffix in ("pdf", "png", "svg")
    ]
