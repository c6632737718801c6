"""The papers' tables and figures, for `results/` and for `snakemake --report`."""

from groundvec.reporting import labels

PAPERS = config["papers"]
MERKX, SOCHER = "merkx_frank_2019", "socher_2014"


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


def model_files(wildcards):
    """What all models are made of, or those of one data set."""
    return every_model(f"{MODEL}/model.json", wildcards.get("dataset"))


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


SCORES = ratings_files(".csv")
PREDICTIONS = ratings_files(".predictions.csv")
TRAINED = {"models": model_files, "retrieval": retrieval_files}
# Where the ratings select the models, all that shows selected ones needs their scores.
SELECTED = {**TRAINED, **({"scores": SCORES} if config["select"] == "ratings" else {})}
OF_DATASET = {
    "captions": read_file("captions.csv"),
    "images": read_file("images.csv"),
    "features": features_file,
}

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
        "snapshots": TRAINED,
    },
    SOCHER: {
        **{
            name: {**TRAINED, "reported": reported(SOCHER, "tables")}
            for name in ("table1", "table2", "table3", "claims")
        },
        "section_6_7": {**TRAINED, "reported": reported(SOCHER, "section_6_7")},
    },
}
FIGURES = {
    MERKX: {
        "figure1": {},
        "figure2": {**TRAINED, "scores": SCORES},
        "figure3": {
            **SELECTED,
            "scores": SCORES,
            "reported": reported(MERKX, "table_s1"),
        },
        "figure4": {**TRAINED, "scores": SCORES},
        "agreement": {**SELECTED, "predictions": PREDICTIONS},
    },
    SOCHER: {"relations": TRAINED},
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
OPTIONS = {
    MERKX: {
        "figure1": {"backbone": next(iter(DATASETS.values()))["backbone"]},
        "agreement": {"subtask": RATINGS["subtask"]} if "subtask" in RATINGS else {},
    },
    SOCHER: {},
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
                options=options(
                    {"select": config["select"], **OPTIONS[paper].get(item, {})}
                ),
                stem=stem,
                code=code(f"groundvec/reporting/{paper}/{item}.py"),
            # Snakemake reads this when a job starts, so that the loops' variables are no use in it.
            shell:
                "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
                "--output {params.stem:q} --log {log:q}"


# Those of one data set, which need its data and a trained model's weights.
OF_ONE = {
    MERKX: {"samples": (pictures, SELECTED)},
    SOCHER: {
        "samples": (pictures, {**TRAINED, "treebanks": every_treebank}),
        "section_6_6": (table, {**TRAINED, "treebanks": every_treebank}),
        "figure3": (pictures, {**TRAINED, "treebanks": every_treebank}),
    },
}

for paper in PAPERS:
    for item, (form, inputs) in OF_ONE[paper].items():

        rule:
            name:
                f"{paper}_{item}"
            input:
                # Not an option of the script: it lies beside the model.json that is.
                lambda wildcards: every_model(
                    f"{MODEL}/ensemble.json", wildcards.dataset
                ),
                **inputs,
                **OF_DATASET,
            output:
                *form(paper, f"{item}-{{dataset}}"),
            log:
                f"<experiment>/logs/{paper}/{item}-{{dataset}}.log",
            conda:
                ENVIRONMENT
            threads: 1
            params:
                item=f"{paper}/{item}",
                files=as_options,
                options=options({"select": config["select"]}),
                stem=stem,
                code=code(f"groundvec/reporting/{paper}/{item}.py"),
            shell:
                "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
                "--output {params.stem:q} --log {log:q}"


def wanted_tables(paper):
    if paper == SOCHER:
        names = ["table1", "table3"]
        names += ["table2"] if any(map(of_table2, models())) else []
        names += ["claims"] if several_models(3) else []
        if with_relations():
            names += ["section_6_7", "section_6_7-counts"]
        return names + [f"section_6_6-{name}" for name in with_relations()]
    names = ["table2", "snapshots"]
    if RATINGS:
        names += ["table1", "table3", "section_4_3", "section_4_3_4"]
        names += ["table_s1", "table_s1-models", "table_s1-spearman"]
        names += ["section_4_1"] if several_models() else []
    return names


def wanted_figures(paper):
    if paper == SOCHER:
        datasets = with_relations()
        of_one = [
            f"{item}-{name}" for item in ("samples", "figure3") for name in datasets
        ]
        return of_one + (["relations"] if datasets else [])
    names = ["figure1", "figure4", *(f"samples-{name}" for name in DATASETS)]
    names += ["figure2"] if several_models() else []
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


def several_models(count=2):
    """Whether a data set has several models, so that there is something to compare."""
    return any(len(data["models"]) >= count for data in DATASETS.values())


def models():
    """The descriptions of all models."""
    return [model for data in DATASETS.values() for model in data["models"].values()]


def of_table2(model):
    """Whether Table 2 of Socher et al. (2014) shows a model."""
    return (
        "euclidean" == model["similarity"]
        or model["objective"]["name"] == "squared_error"
    )


def with_relations():
    """The data sets with an SDT-RNN, whose matrices are relations'."""
    return [
        name
        for name, data in DATASETS.items()
        if any(
            labels.named(model, description) == "SDT-RNN"
            for model, description in data["models"].items()
        )
    ]
