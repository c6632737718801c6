"""The papers' tables and figures, for `results/` and for `snakemake --report`.

What they are made of is described in each paper's folder, groundvec/papers/PAPER.
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
    item = PAPERS[paper].items[name]
    stem = f"{name}-{{{item.each}}}" if item.each else name
    if name in PAPERS[paper].figures:
        return figure(paper, stem)
    return [
        *table(paper, stem),
        *(file for suffix in item.more for file in table(paper, f"{stem}-{suffix}")),
        *(f"<experiment>/{paper}/tables/{stem}-{key}.csv" for key in item.numbers),
    ]


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


def trained(datasets, keep=lambda description: True):
    """For a rule's input: what the models of some data sets are, and their scores.

    Of a rule for one data set, those of that alone.
    """

    def of(pattern):
        return lambda wildcards: every_model(
            pattern,
            [wildcards.dataset] if "dataset" in wildcards.keys() else datasets,
            keep,
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


def inputs_of(paper, name):
    """For a rule's input: what a table or figure is made of, by the options of scripts/report.py."""
    item, shown = PAPERS[paper].items[name], shown_in(paper)
    scores = ratings_files(".csv", paper)
    models = trained(shown, item.models)
    kinds = {
        "models": {"models": models["models"]},
        "trained": models,
        # Where the ratings select the models, all that shows selected ones needs their scores.
        "selected": {
            **models,
            **({"scores": scores} if config["select"] == "ratings" else {}),
        },
        "rated_models": {"models": every_model(f"{MODEL}/model.json", rated(paper))},
        "scores": {"scores": scores},
        "scores_if_all_are_rated": {
            "scores": scores if experiment(paper).rated() else []
        },
        "predictions": {"predictions": ratings_files(".predictions.csv", paper)},
        "predictions_of_models": {
            "predictions": ratings_of_models(".predictions.csv", paper)
        },
        "overlap": {"overlap": ratings_of_models(".overlap.csv", paper)},
        "ratings": {"ratings": RATED},
        "tasks": {"tasks": RATED_TASKS},
        "query_ranks": {"query_ranks": every_model(RANKS, shown)},
        "history": {"history": every_model(f"{MODEL}/history.csv", shown)},
        "robustness": {"robustness": robustness_files(shown)},
        "captions": {"captions": read_file("captions.csv")},
        "images": {"images": read_file("images.csv")},
        "features": {"features": features_file},
        "treebanks": {"treebanks": every_treebank},
    }
    if "translation" in config:
        kinds |= translation_kinds()
    files = {
        option: file for kind in item.inputs for option, file in kinds[kind].items()
    }
    if item.tables:
        files["tables"] = [
            f"<experiment>/{paper}/tables/{other}.csv"
            for other in item.tables
            if WANTED[paper, other]
        ]
    if item.reported:
        files["reported"] = own(
            f"groundvec/papers/{paper}/reported/{item.reported}.csv"
        )
    return files


def robustness_files(datasets):
    """By model: of those that several data sets have, the first one's; and the baselines."""
    of_first_seed = {
        model: ROBUSTNESS.format(
            dataset=name, model=model, seed=DATASETS[name]["seeds"][0]
        )
        for name in reversed(datasets)
        for model in DATASETS[name]["models"]
        if model in ROBUST
    }
    return [
        *of_first_seed.values(),
        *(
            ROBUSTNESS_OF_BASELINE.format(baseline=name)
            for name in ROBUST
            if name in RATINGS["baselines"]
        ),
    ]


def translation_kinds():
    shortest, *longer = sorted(TRANSLATION["n_best"])
    reranked = {
        f"reranked_{which}": {
            "reranked": expand(RERANKED, system=TRANSLATION["systems"], n=lengths)
        }
        for which, lengths in (("shortest", [shortest]), ("longer", longer))
    }
    return reranked | {
        "rerankers": {"models": [f"{folder}/model.json" for folder in RERANK_BY]},
        "translations": {
            "translations": f"{SYSTEM}/translations.{shortest}.csv",
            "images": f"results/datasets/{PICTURED}/images.csv",
        },
    }


def options_of(paper, name):
    """Options of scripts/report.py that are no files."""
    item, first = PAPERS[paper].items[name], DATASETS[shown_in(paper)[0]]
    settings = {
        "backbone": first["backbone"],
        "crops": first["crops"],
        "subtask": RATINGS.get("subtask"),
    }
    wanted = {key: settings[key] for key in item.options if settings[key] is not None}
    if "selected" in item.inputs:
        wanted["select"] = config["select"]
    return options(wanted)


def caption(paper, name):
    """For a rule's params: a function of the output, so that another caption makes nothing anew."""
    return lambda wildcards, output: PAPERS[paper].items[name].text


def experiment(paper):
    return papers.Experiment(config, {name: DATASETS[name] for name in shown_in(paper)})


# What there is of each table and figure: none, one, or one for each data set or system.
WANTED = {
    (paper, name): item.names(name, experiment(paper))
    for paper in PAPERS
    for name, item in PAPERS[paper].items.items()
}

for paper, name in [key for key, names in WANTED.items() if names]:
    item, inputs = PAPERS[paper].items[name], inputs_of(paper, name)

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
        threads: 1
        params:
            item=f"{paper}/{name}",
            files=as_options,
            options=options_of(paper, name),
            stem=stem,
            caption=caption(paper, name),
            code=code(f"groundvec/papers/{paper}/{name}.py"),
        # Snakemake reads this when a job starts, so that the loops' variables are no use in it.
        shell:
            'python "$GROUNDVEC/scripts/report.py" {params.item:q} {params.files:q} {params.options:q} '
            "--output {params.stem:q} --log {log:q}"


def tables():
    stems = [
        f"<experiment>/{paper}/tables/{name}{suffix}"
        for paper in PAPERS
        for item, description in sorted(PAPERS[paper].tables.items())
        for name in sorted(WANTED[paper, item])
        for suffix in ("", *(f"-{more}" for more in description.more))
    ]
    return [
        f"{stem}.{kind}"
        for stem in stems
        for kind in ("csv", "html", "json", "md", "tex")
    ]


def figures():
    return [
        f"<experiment>/{paper}/figures/{name}.{kind}"
        for paper in PAPERS
        for item in sorted(PAPERS[paper].figures)
        for name in sorted(WANTED[paper, item])
        for kind in ("pdf", "png", "svg")
    ]
