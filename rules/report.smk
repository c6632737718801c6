"""The paper's tables and figures, for `results/` and for `snakemake --report`."""


rule table1:
    input:
        TASKS,
    output:
        *table("table1"),
    log:
        "<experiment>/logs/table1.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/table1.py"),
    shell:
        "python scripts/table1.py --tasks {input:q} --output {params.stem:q} --log {log:q}"


rule table2:
    input:
        measured=retrieval_files,
        reported="resources/retrieval.csv",
    output:
        *table("table2"),
        *table("table2-snapshots"),
    log:
        "<experiment>/logs/table2.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/table2.py"),
    shell:
        "python scripts/table2.py --measured {input.measured:q} --reported {input.reported:q} "
        "--output {params.stem:q} --log {log:q}"


rule table3:
    input:
        similarities=semantics_files(".similarities.csv"),
        retrieval=retrieval_files,
        pairs=PAIRS,
    output:
        *table("table3"),
    log:
        "<experiment>/logs/table3.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/table3.py"),
    shell:
        "python scripts/table3.py --similarities {input.similarities:q} "
        "--retrieval {input.retrieval:q} --pairs {input.pairs:q} "
        "--output {params.stem:q} --log {log:q}"


rule supplement:
    input:
        scores=semantics_files(".csv"),
        retrieval=retrieval_files,
        reported="resources/sts.csv",
    output:
        *table("supplement"),
        *table("supplement-spearman"),
        *table("supplement-models"),
    log:
        "<experiment>/logs/supplement.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stem=stem,
        code=code_hash("scripts/supplement.py"),
    shell:
        "python scripts/supplement.py --scores {input.scores:q} --retrieval {input.retrieval:q} "
        "--reported {input.reported:q} --output {params.stem:q} --log {log:q}"


rule significance:
    input:
        similarities=semantics_files(".similarities.csv"),
        retrieval=retrieval_files,
        reported="resources/sts.csv",
    output:
        *table("significance"),
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
        "python scripts/significance.py --similarities {input.similarities:q} "
        "--retrieval {input.retrieval:q} --reported {input.reported:q} "
        "--output {params.stem:q} --log {log:q}"


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
        "python scripts/figure1.py --backbone {params.backbone:q} "
        "--output {params.stem:q} --log {log:q}"


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
        "python scripts/figure2.py --retrieval {input.retrieval:q} --scores {input.scores:q} "
        "--output {params.stem:q} --log {log:q}"


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
        "python scripts/figure3.py --scores {input.scores:q} --retrieval {input.retrieval:q} "
        "--reported {input.reported:q} --output {params.stem:q} --log {log:q}"


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
        "python scripts/figure4.py --retrieval {input.retrieval:q} "
        "--histories {input.histories:q} --scores {input.scores:q} "
        "--output {params.stem:q} --log {log:q}"


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
        subtask=options(
            {key: SEMANTICS[key] for key in ("subtask",) if key in SEMANTICS}
        ),
        code=code_hash("scripts/agreement.py"),
    shell:
        "python scripts/agreement.py --similarities {input.similarities:q} "
        "--retrieval {input.retrieval:q} {params.subtask:q} --output {params.stem:q} --log {log:q}"


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
        "python scripts/samples.py --ensembles {input.ensembles:q} --measured {input.measured:q} "
        "--captions {input.captions:q} --images {input.images:q} --features {input.features:q} "
        "--threads {threads:q} "
        "--output {params.stem:q} --log {log:q}"
