"""The paper's tables and figures, for `results/` and for `snakemake --report`."""


def retrieval_files(wildcards):
    """The scores of all models, or of those of one data set."""
    pattern = EXPERIMENT + "/retrieval/{dataset}/{cell}/seed{seed}.csv"
    return every_model(pattern, wildcards.get("dataset"))


def pictures(name):
    """A figure as PDF and PNG, the latter for the report."""
    stem = f"{EXPERIMENT}/figures/{name}"
    caption = f"../report/{name.partition('-')[0]}.rst"
    return {
        "pdf": f"{stem}.pdf",
        "png": report(f"{stem}.png", caption=caption, category="Figures"),
    }


rule table2:
    input:
        measured=retrieval_files,
        reported="resources/retrieval.csv",
    output:
        multiext(EXPERIMENT + "/tables/table2", ".csv", ".tex"),
        multiext(EXPERIMENT + "/tables/table2-snapshots", ".csv", ".md", ".tex"),
        markdown=report(
            EXPERIMENT + "/tables/table2.md",
            caption="../report/table2.rst",
            category="Tables",
        ),
    log:
        EXPERIMENT + "/logs/table2.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_hash("scripts/table2.py"),
    shell:
        "python scripts/table2.py --measured {input.measured} --reported {input.reported} "
        f"--output {EXPERIMENT}/tables/table2 "
        "--log {log}"


rule figure1:
    output:
        **pictures("figure1"),
    log:
        EXPERIMENT + "/logs/figure1.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        backbone=next(iter(DATASETS.values()))["backbone"],
        code=code_hash("scripts/figure1.py"),
    shell:
        "python scripts/figure1.py --backbone {params.backbone} "
        f"--output {EXPERIMENT}/figures/figure1 "
        "--log {log}"


rule figure2:
    input:
        retrieval_files,
    output:
        **pictures("figure2"),
    log:
        EXPERIMENT + "/logs/figure2.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_hash("scripts/figure2.py"),
    shell:
        "python scripts/figure2.py --measured {input} "
        f"--output {EXPERIMENT}/figures/figure2 "
        "--log {log}"


rule figure4:
    input:
        measured=retrieval_files,
        histories=every_model(MODEL + "/history.csv"),
    output:
        **pictures("figure4"),
    log:
        EXPERIMENT + "/logs/figure4.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_hash("scripts/figure4.py"),
    shell:
        "python scripts/figure4.py --measured {input.measured} --histories {input.histories} "
        f"--output {EXPERIMENT}/figures/figure4 "
        "--log {log}"


rule samples:
    input:
        measured=retrieval_files,
        ensembles=lambda wildcards: every_model(
            MODEL + "/ensemble.json", wildcards.dataset
        ),
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
        features=features_file,
    output:
        **pictures("samples-{dataset}"),
    log:
        EXPERIMENT + "/logs/samples-{dataset}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_hash("scripts/samples.py"),
    shell:
        f"python scripts/samples.py --models {EXPERIMENT}/models "
        "--measured {input.measured} "
        "--captions {input.captions} --images {input.images} --features {input.features} "
        "--threads {threads} "
        f"--output {EXPERIMENT}/figures/samples-"
        "{wildcards.dataset} --log {log}"
