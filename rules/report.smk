"""The paper's tables and figures, for `results/` and for `snakemake --report`."""


rule table2:
    input:
        measured=retrieval_files,
        reported="resources/retrieval.csv",
    output:
        multiext("<experiment>/tables/table2", ".csv", ".tex"),
        multiext("<experiment>/tables/table2-snapshots", ".csv", ".md", ".tex"),
        markdown=report(
            "<experiment>/tables/table2.md",
            caption="../report/table2.rst",
            category="Tables",
        ),
    log:
        "<experiment>/logs/table2.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/table2.py"),
    shell:
        "python scripts/table2.py --measured {input.measured} --reported {input.reported} "
        "--output {params.stem} --log {log}"


rule figure1:
    output:
        **pictures("figure1"),
    log:
        "<experiment>/logs/figure1.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        backbone=next(iter(DATASETS.values()))["backbone"],
        code=code_hash("scripts/figure1.py"),
    shell:
        "python scripts/figure1.py --backbone {params.backbone} "
        "--output {params.stem} --log {log}"


rule figure2:
    input:
        retrieval_files,
    output:
        **pictures("figure2"),
    log:
        "<experiment>/logs/figure2.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/figure2.py"),
    shell:
        "python scripts/figure2.py --measured {input} "
        "--output {params.stem} --log {log}"


rule figure4:
    input:
        measured=retrieval_files,
        histories=every_model(
            "<experiment>/models/{dataset}/{cell}/seed{seed}/history.csv"
        ),
    output:
        **pictures("figure4"),
    log:
        "<experiment>/logs/figure4.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/figure4.py"),
    shell:
        "python scripts/figure4.py --measured {input.measured} --histories {input.histories} "
        "--output {params.stem} --log {log}"


rule samples:
    input:
        measured=retrieval_files,
        ensembles=lambda wildcards: every_model(
            "<experiment>/models/{dataset}/{cell}/seed{seed}/ensemble.json",
            wildcards.dataset,
        ),
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
        features=features_file,
    output:
        **pictures("samples-{dataset}"),
    log:
        "<experiment>/logs/samples-{dataset}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        stem=stem,
        code=code_hash("scripts/samples.py"),
    shell:
        "python scripts/samples.py --ensembles {input.ensembles} --measured {input.measured} "
        "--captions {input.captions} --images {input.images} --features {input.features} "
        "--threads {threads} "
        "--output {params.stem} --log {log}"
