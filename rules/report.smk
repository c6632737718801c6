"""The papers' tables and figures, for `results/` and for `snakemake --report`."""

from groundvec.reporting import labels

MERKX, SOCHER = "merkx_frank_2019", "socher_2014"
PAPERS = [paper for paper in (MERKX, SOCHER) if shown_in(paper)]


def table(paper, name):
    """A table as CSV, LaTeX, Markdown and HTML, the last for the report."""
    stem = f"<experiment>/{paper}/tables/{name}"
    page = report(f"{stem}.html", caption=caption(paper, name), category="Tables")
    return [f"{stem}.csv", f"{stem}.tex", f"{stem}.md", page]


def pictures(paper, name):
    """A figure as PDF and PNG, the latter for the report."""
    stem = f"<experiment>/{paper}/figures/{name}"
    picture = report(f"{stem}.png", caption=caption(paper, name), category="Figures")
    return [f"{stem}.pdf", picture]


def caption(paper, name):
    return f"../report/{paper}/{name.partition('-')[0]}.rst"


def reported(paper, name):
    return f"resources/{paper}/{name}.csv"


def as_options(wildcards, input):
    """For a rule's params: its inputs, as the options of scripts/report.py of the same names."""
    return [
        word
        for kind, paths in input.items()
        for word in (f"--{kind}", *([paths] if isinstance(paths, str) else paths))
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
        "retrieval": of("<experiment>/retrieval/{dataset}/{model}/seed{seed}.csv"),
    }


def every_treebank(wildcards):
    """The parsed captions that the models of a data set read."""
    stem = f"results/text/{base(wildcards)}"
    models = DATASETS[wildcards.dataset]["models"].values()
    return sorted(
        {
            f"{stem}/{treebank_name(model['text'])}.{language}.conllu.gz"
            for model in models
            if treebank_name(model["text"])
            for language in model["languages"]
        }
    )


SCORES = ratings_files(".csv", MERKX)
PREDICTIONS = ratings_files(".predictions.csv", MERKX)
TRAINED = {paper: trained(shown_in(paper)) for paper in (MERKX, SOCHER)}
# Where the ratings select the models, all that shows selected ones needs their scores.
SELECTED = {
    **TRAINED[MERKX],
    **({"scores": SCORES} if config["select"] == "ratings" else {}),
}


def of_relations(pattern):
    """A function for a rule's input: `every_model` of SDT-RNNs alone."""
    return lambda wildcards: [
        pattern.format(dataset=name, model=model, seed=seed)
        for name, models in with_relations().items()
        if name == wildcards.get("dataset", name)
        for model in models
        for seed in DATASETS[name]["seeds"]
    ]


RELATIONS = {
    "models": of_relations(f"{MODEL}/model.json"),
    "retrieval": of_relations(
        "<experiment>/retrieval/{dataset}/{model}/seed{seed}.csv"
    ),
}

PARSED = {"captions": read_file("captions.csv"), "treebanks": every_treebank}

# What each table or figure needs: options of scripts/report.py, and their files.
TABLES = {
    MERKX: {
        "table1": {"tasks": RATED_TASKS},
        "table2": {**SELECTED, "reported": reported(MERKX, "table2")},
        "table3": {**SELECTED, "predictions": PREDICTIONS, "ratings": RATED},
        "table_s1": {
            **SELECTED,
            "scores": SCORES,
            "reported": reported(MERKX, "table_s1"),
        },
        "section_4_1": {**SELECTED, "scores": SCORES, "predictions": PREDICTIONS},
        "section_4_3": {
            **SELECTED,
            "predictions": PREDICTIONS,
            "reported": reported(MERKX, "table_s1"),
        },
        "section_4_3_4": {
            **SELECTED,
            "scores": SCORES,
            "reported": reported(MERKX, "section_4_3_4"),
        },
        "snapshots": TRAINED[MERKX],
    },
    SOCHER: {
        **{
            name: {**TRAINED[SOCHER], "reported": reported(SOCHER, "tables")}
            for name in ("table1", "table2", "table3", "claims")
        },
        "section_6_7": {**RELATIONS, "reported": reported(SOCHER, "section_6_7")},
        "ratings": {
            **trained(rated(SOCHER)),
            "scores": ratings_files(".csv", SOCHER),
        },
    },
}
FIGURES = {
    MERKX: {
        "figure1": {},
        "figure2": {**TRAINED[MERKX], "scores": SCORES},
        "figure3": {
            **SELECTED,
            "scores": SCORES,
            "reported": reported(MERKX, "table_s1"),
        },
        "figure4": {**TRAINED[MERKX], "scores": SCORES},
        "agreement": {**SELECTED, "predictions": PREDICTIONS},
    },
    SOCHER: {"relations": RELATIONS},
}
BESIDE = {  # what is written with a table
    MERKX: {
        "table_s1": [
            *table(MERKX, "table_s1-spearman"),
            *table(MERKX, "table_s1-models"),
        ],
        "section_4_3": [f"<experiment>/{MERKX}/tables/section_4_3-tests.csv"],
    },
    SOCHER: {
        "claims": [f"<experiment>/{SOCHER}/tables/claims-draws.csv"],
        "section_6_7": table(SOCHER, "section_6_7-counts"),
    },
}
SELECT = {MERKX: {"select": config["select"]}, SOCHER: {}}
OPTIONS = {
    "figure1": {"backbone": next(iter(DATASETS.values()))["backbone"]},
    "agreement": {"subtask": RATINGS["subtask"]} if "subtask" in RATINGS else {},
}


for paper in PAPERS:
    for item, inputs in {**TABLES[paper], **FIGURES[paper]}.items():

        rule:
            name:
                f"{paper}_{item}"
            input:
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
                options=options({**SELECT[paper], **OPTIONS.get(item, {})}),
                stem=stem,
                code=code(f"groundvec/reporting/{paper}/{item}.py"),
            # Snakemake reads this when a job starts, so that the loops' variables are no use in it.
            shell:
                "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
                "--output {params.stem:q} --log {log:q}"


if MERKX in PAPERS:

    rule:
        name:
            f"{MERKX}_samples"
        input:
            # Not an option of the script: it lies beside the model.json that is.
            lambda wildcards: every_model(f"{MODEL}/ensemble.json", [wildcards.dataset]),
            **SELECTED,
            captions=read_file("captions.csv"),
            images=read_file("images.csv"),
            features=features_file,
        output:
            *pictures(MERKX, "samples-{dataset}"),
        log:
            f"<experiment>/logs/{MERKX}/samples-{{dataset}}.log",
        conda:
            ENVIRONMENT
        threads: 1
        params:
            item=f"{MERKX}/samples",
            files=as_options,
            options=options(SELECT[MERKX]),
            stem=stem,
            code=code(f"groundvec/reporting/{MERKX}/samples.py"),
        shell:
            "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
            "--output {params.stem:q} --log {log:q}"


# What Socher et al. (2014) show of sentences, for each data set: the files that it is, the models,
# and what it needs beside them.
SENTENCES = {
    "figure3": (pictures(SOCHER, "figure3-{dataset}"), RELATIONS, PARSED),
    "samples": (
        pictures(SOCHER, "samples-{dataset}"),
        RELATIONS,
        {**PARSED, "images": read_file("images.csv"), "features": features_file},
    ),
    "section_6_6": (
        table(SOCHER, "section_6_6-{dataset}")
        + table(SOCHER, "section_6_6-{dataset}-shares"),
        RELATIONS,
        {**PARSED, "features": features_file},
    ),
    "active_passive": (table(SOCHER, "active_passive-{dataset}"), TRAINED[SOCHER], {}),
}

for item, (files, models_shown, needed) in (
    SENTENCES.items() if SOCHER in PAPERS else []
):

    rule:
        name:
            f"{SOCHER}_{item}"
        input:
            **models_shown,
            **needed,
        output:
            *files,
        log:
            f"<experiment>/logs/{SOCHER}/{item}-{{dataset}}.log",
        conda:
            ENVIRONMENT
        threads: 1
        params:
            item=f"{SOCHER}/{item}",
            files=as_options,
            stem=stem,
            code=code(f"groundvec/reporting/{SOCHER}/{item}.py"),
        shell:
            "python scripts/report.py {params.item:q} {params.files:q} --output {params.stem:q} "
            "--log {log:q}"


def wanted_tables(paper):
    if paper == SOCHER:
        names = ["table1", "table3"]
        names += ["table2"] if any(map(of_table2, models(paper))) else []
        names += ["claims"] if several_models(paper, 3) else []
        names += ["ratings"] if RATINGS else []
        names += [f"active_passive-{name}" for name in shown_in(paper) if english(name)]
        names += ["section_6_7", "section_6_7-counts"] if with_relations() else []
        of_one = ("section_6_6-{}", "section_6_6-{}-shares")
        return names + [
            name.format(data) for data in with_relations() for name in of_one
        ]
    names = ["table2", "snapshots"]
    if RATINGS:
        names += ["table1", "table3", "section_4_3", "section_4_3_4"]
        names += ["table_s1", "table_s1-models", "table_s1-spearman"]
        names += ["section_4_1"] if several_models(paper) else []
    return names


def wanted_figures(paper):
    if paper == SOCHER:
        names = ["relations"] if with_relations() else []
        of_one = ("figure3-{}", "samples-{}")
        return names + [
            name.format(data) for data in with_relations() for name in of_one
        ]
    names = ["figure1", "figure4", *(f"samples-{name}" for name in shown_in(paper))]
    names += ["figure2"] if several_models(paper) else []
    names += ["figure3", "agreement"] if RATINGS else []
    return names


def tables():
    return [
        f"<experiment>/{paper}/tables/{name}.{suffix}"
        for paper in PAPERS
        for name in sorted(wanted_tables(paper))
        for suffix in ("csv", "html", "md", "tex")
    ]


def figures():
    return [
        f"<experiment>/{paper}/figures/{name}.{suffix}"
        for paper in PAPERS
        for name in sorted(wanted_figures(paper))
        for suffix in ("pdf", "png")
    ]


def several_models(paper, count=2):
    """Whether a data set has several models, so that there is something to compare."""
    return any(len(DATASETS[name]["models"]) >= count for name in shown_in(paper))


def models(paper):
    """The descriptions of all models that a paper shows."""
    return [
        model for name in shown_in(paper) for model in DATASETS[name]["models"].values()
    ]


def english(dataset):
    """Whether a model of a data set reads English."""
    return any(
        "en" in model["languages"] for model in DATASETS[dataset]["models"].values()
    )


def of_table2(model):
    """Whether Table 2 of Socher et al. (2014) shows a model."""
    return (
        "euclidean" == model["similarity"]
        or model["objective"]["name"] == "squared_error"
    )


def with_relations():
    """The names of the SDT-RNNs, whose matrices are relations', of each data set that has one."""
    found = {
        name: [
            model
            for model, description in data["models"].items()
            if labels.named(model, description) == "SDT-RNN"
        ]
        for name, data in DATASETS.items()
        if SOCHER in data["papers"]
    }
    return {name: models for name, models in found.items() if models}
