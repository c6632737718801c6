"""Ensembles of snapshots, and their retrieval scores."""


rule ensemble:
    input:
        model=f"{MODEL}/model.json",
        history=f"{MODEL}/history.csv",
    output:
        f"{MODEL}/ensemble.json",
    log:
        "<experiment>/logs/ensemble/{dataset}/{model}/seed{seed}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code("scripts/ensemble.py"),
    shell:
        'python "$GROUNDVEC/scripts/ensemble.py" --history {input.history:q} --model {input.model:q} '
        "--output {output:q} --log {log:q}"


rule retrieval:
    input:
        model=f"{MODEL}/model.json",
        snapshots=f"{MODEL}/snapshots",
        ensemble=f"{MODEL}/ensemble.json",
        captions=plan.file_of_source("captions.csv"),
        features=plan.features_file,
        treebanks=plan.treebanks,
    output:
        multiext(
            RETRIEVAL,
            scores=".csv",
            ranks=".ranks.csv",
        ),
    log:
        "<experiment>/logs/retrieval/{dataset}/{model}/seed{seed}.log",
    conda:
        ENVIRONMENT
    threads: threads_by_size
    resources:
        gpu=GPU,
        mem_mb=gigabytes(8),
        runtime=hours(8),
    params:
        folder=subpath(input.model, parent=True),
        stem=stem,
        folds=plan.setting("folds"),
        treebanks=treebank_option,
        code=code("scripts/retrieval.py"),
    shell:
        # --overwrite: as in the rule train.
        'python "$GROUNDVEC/scripts/retrieval.py" --model {params.folder:q} '
        "--captions {input.captions:q} --features {input.features:q} --folds {params.folds:q} "
        "{params.treebanks:q} --threads {threads:q} --output {params.stem:q} --overwrite --log {log:q}"
