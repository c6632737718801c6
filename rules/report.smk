"""The paper's tables and figures, for `results/` and for `snakemake --report`."""

PAPER = "merkx_frank_2019"
FOLDER = f"<experiment>/{PAPER}"
REPORTED = f"resources/{PAPER}"


def table(name):
    """A table as CSV, LaTeX, Markdown and HTML, the last for the report."""
    stem = f"{FOLDER}/tables/{name}"
    page = report(f"{stem}.html", caption=caption(name), category="Tables")
    return [f"{stem}.csv", f"{stem}.tex", f"{stem}.md", page]


def pictures(name):
    """A figure as PDF and PNG, the latter for the report."""
    stem = f"{FOLDER}/figures/{name}"
    picture = report(f"{stem}.png", caption=caption(name), category="Figures")
    return [f"{stem}.pdf", picture]


def caption(name):
    return f"../report/{PAPER}/{name.partition('-')[0]}.rst"


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


SCORES = ratings_files(".csv")
PREDICTIONS = ratings_files(".predictions.csv")
TRAINED = {"models": model_files, "retrieval": retrieval_files}
# Where the ratings select the models, all that shows selected ones needs their scores.
SELECTED = {**TRAINED, **({"scores": SCORES} if config["select"] == "ratings" else {})}

# What each table or figure needs: options of scripts/report.py, and their files.
TABLES = {
    "table1": {"tasks": RATED_TASKS},
    "table2": {**SELECTED, "reported": f"{REPORTED}/table2.csv"},
    "table3": {**SELECTED, "predictions": PREDICTIONS, "ratings": RATED},
    "table_s1": {
        **SELECTED,
        "scores": SCORES,
        "reported": f"{REPORTED}/table_s1.csv",
    },
    "section_4_1": {**SELECTED, "scores": SCORES, "predictions": PREDICTIONS},
    "section_4_3": {
        **SELECTED,
        "predictions": PREDICTIONS,
        "reported": f"{REPORTED}/table_s1.csv",
    },
    "section_4_3_4": {
        **SELECTED,
        "scores": SCORES,
        "reported": f"{REPORTED}/section_4_3_4.csv",
    },
    "snapshots": TRAINED,
}
FIGURES = {
    "figure1": {},
    "figure2": {**TRAINED, "scores": SCORES},
    "figure3": {
        **SELECTED,
        "scores": SCORES,
        "reported": f"{REPORTED}/table_s1.csv",
    },
    "figure4": {**TRAINED, "scores": SCORES},
    "agreement": {**SELECTED, "predictions": PREDICTIONS},
}
BESIDE = {  # what is written with a table
    "table_s1": [*table("table_s1-spearman"), *table("table_s1-models")],
    "section_4_3": [f"{FOLDER}/tables/section_4_3-tests.csv"],
}
OPTIONS = {
    "figure1": {"backbone": next(iter(DATASETS.values()))["backbone"]},
    "agreement": {"subtask": RATINGS["subtask"]} if "subtask" in RATINGS else {},
}


for item, inputs in {**TABLES, **FIGURES}.items():

    rule:
        name:
            f"{PAPER}_{item}"
        input:
            **inputs,
        output:
            *(table(item) if item in TABLES else pictures(item)),
            *BESIDE.get(item, []),
        log:
            f"<experiment>/logs/{item}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            item=f"{PAPER}/{item}",
            files=as_options,
            options=options({"select": config["select"], **OPTIONS.get(item, {})}),
            stem=stem,
            code=code(f"groundvec/reporting/{PAPER}/{item}.py"),
        # Snakemake reads this when a job starts, so that the loop's variables are no use in it.
        shell:
            "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
            "--output {params.stem:q} --log {log:q}"


rule:
    name:
        f"{PAPER}_samples"
    input:
        # Not an option of the script: it lies beside the model.json that is.
        lambda wildcards: every_model(f"{MODEL}/ensemble.json", wildcards.dataset),
        **SELECTED,
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
        features=features_file,
    output:
        *pictures("samples-{dataset}"),
    log:
        "<experiment>/logs/samples-{dataset}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        item=f"{PAPER}/samples",
        files=as_options,
        options=options({"select": config["select"]}),
        stem=stem,
        code=code(f"groundvec/reporting/{PAPER}/samples.py"),
    shell:
        "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
        "--output {params.stem:q} --log {log:q}"


def tables():
    names = ["table2", "snapshots"]
    if RATINGS:
        names += ["table1", "table3", "section_4_3", "section_4_3_4"]
        names += ["table_s1", "table_s1-models", "table_s1-spearman"]
        names += ["section_4_1"] if several_models() else []
    return expand(
        f"{FOLDER}/tables/{{table}}.{{suffix}}",
        table=sorted(names),
        suffix=["csv", "html", "md", "tex"],
    )


def figures():
    names = ["figure1", "figure4", *(f"samples-{name}" for name in DATASETS)]
    names += ["figure2"] if several_models() else []
    names += ["figure3", "agreement"] if RATINGS else []
    return expand(
        f"{FOLDER}/figures/{{name}}.{{suffix}}",
        name=sorted(names),
        suffix=["pdf", "png"],
    )


def several_models():
    """Whether a data set has several models, so that there is something to compare."""
    return any(len(data["models"]) > 1 for data in DATASETS.values())
