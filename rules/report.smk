"""The papers' tables and figures, for `results/` and for `snakemake --report`.

Each paper has a file of rules, papers/PAPER.smk, and the modules that they run are in its folder,
reproduction/papers/PAPER. Inputs without a name are files that stand next to named ones, such as an
ensemble.json next to its model.json.
"""

# The files of all tables and figures that this experiment has: each paper adds its own.
TABLES = []
FIGURES = []


def shown(path, paper, name, category):
    """Return an output that Snakemake's report shows, with the caption of its table or figure."""
    # The part after a hyphen is a data set, or a further table of the same module.
    caption = papers.captions(paper)[name.split("-")[0]]
    return report(path, caption=str(caption), category=category)


def tables(paper, *names, when=True):
    """List the files of some tables of a paper, if the experiment has them."""
    files = []
    for name in names if when else []:
        stem = f"<experiment>/{paper}/tables/{name}"
        files += [f"{stem}.csv", f"{stem}.md", f"{stem}.tex"]
        files.append(shown(f"{stem}.html", paper, name, "Tables"))
    return files


def figures(paper, *names, when=True):
    """List the files of some figures of a paper, if the experiment has them."""
    files = []
    for name in names if when else []:
        stem = f"<experiment>/{paper}/figures/{name}"
        files += [f"{stem}.svg", f"{stem}.pdf"]
        files.append(shown(f"{stem}.png", paper, name, "Figures"))
    return files


def reported(paper, *names):
    """List files of numbers that a paper reports."""
    folder = f"reproduction/papers/{paper}/reported"
    return [project_file(f"{folder}/{name}.csv") for name in names]


def stems(wildcards, output):
    """List the first file of each module without its suffix: further tables are NAME-SUFFIX."""
    first = {}
    for path in map(Path, output):
        first.setdefault(path.stem.split("-")[0], str(path.with_suffix("")))
    return list(first.values())


for paper in plan.papers:

    include: f"papers/{paper}.smk"
