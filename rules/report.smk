"""The paper's tables and figures, for `results/` and for `snakemake --report`."""


rule table1:
    input:
        TASKS,
    output:
        **table("table1"),
    log:
        "<experiment>/logs/table1.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/table1.py"),
    shell:
        "python scripts/table1.py --tasks {input} --output {params.stem} --log {log}"


rule table2:
    input:
        measured=retrieval_files,
        reported="resources/retrieval.csv",
    output:
        **table("table2"),
        snapshots=multiext(
            "<experiment>/tables/table2-snapshots", ".csv", ".md", ".tex"
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


rule table3:
    input:
        similarities=semantics_files(".similarities.csv"),
        retrieval=retrieval_files,
        pairs=PAIRS,
    output:
        **table("table3"),
    log:
        "<experiment>/logs/table3.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/table3.py"),
    shell:
        "python scripts/table3.py --similarities {input.similarities} "
        "--retrieval {input.retrieval} --pairs {input.pairs} "
        "--output {params.stem} --log {log}"


rule supplement:
    input:
        scores=semantics_files(".csv"),
        retrieval=retrieval_files,
        reported="resources/sts.csv",
    output:
        **table("supplement"),
        spearman=multiext(
            "<experiment>/tables/supplement-spearman", ".csv", ".md", ".tex"
        ),
        models=multiext("<experiment>/tables/supplement-models", ".csv", ".md", ".tex"),
    log:
        "<experiment>/logs/supplement.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/supplement.py"),
    shell:
        "python scripts/supplement.py --scores {input.scores} --retrieval {input.retrieval} "
        "--reported {input.reported} --output {params.stem} --log {log}"


rule significance:
    input:
        similarities=semantics_files(".similarities.csv"),
        retrieval=retrieval_files,
        reported="resources/sts.csv",
    output:
        **table("significance"),
        tests="<experiment>/tables/significance-tests.csv",
    log:
        "<experiment>/logs/significance.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/significance.py"),
    shell:
        "python scripts/significance.py --similarities {input.similarities} "
        "--retrieval {input.retrieval} --reported {input.reported} "
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
        retrieval=retrieval_files,
        scores=semantics_files(".csv"),
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
        "python scripts/figure2.py --retrieval {input.retrieval} --scores {input.scores} "
        "--output {params.stem} --log {log}"


rule figure3:
    input:
        scores=semantics_files(".csv"),
        retrieval=retrieval_files,
        reported="resources/sts.csv",
    output:
        **pictures("figure3"),
    log:
        "<experiment>/logs/figure3.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/figure3.py"),
    shell:
        "python scripts/figure3.py --scores {input.scores} --retrieval {input.retrieval} "
        "--reported {input.reported} --output {params.stem} --log {log}"


rule figure4:
    input:
        retrieval=retrieval_files,
        histories=every_model(
            "<experiment>/models/{dataset}/{cell}/seed{seed}/history.csv"
        ),
        scores=semantics_files(".csv"),
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
        "python scripts/figure4.py --retrieval {input.retrieval} "
        "--histories {input.histories} --scores {input.scores} "
        "--output {params.stem} --log {log}"


rule agreement:
    input:
        similarities=semantics_files(".similarities.csv"),
        retrieval=retrieval_files,
    output:
        **pictures("agreement"),
    log:
        "<experiment>/logs/agreement.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        subtask=f"--subtask '{SEMANTICS['subtask']}'" if "subtask" in SEMANTICS else "",
        code=code_hash("scripts/agreement.py"),
    shell:
        "python scripts/agreement.py --similarities {input.similarities} "
        "--retrieval {input.retrieval} {params.subtask} --output {params.stem} --log {log}"


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
