"""Ensembles of snapshots, their retrieval scores, and the best of each data set."""


rule ensemble:
    input:
        model="<experiment>/models/{dataset}/{cell}/seed{seed}/model.json",
        history="<experiment>/models/{dataset}/{cell}/seed{seed}/history.csv",
    output:
        "<experiment>/models/{dataset}/{cell}/seed{seed}/ensemble.json",
    log:
        "<experiment>/logs/ensemble/{dataset}/{cell}/seed{seed}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_hash("scripts/ensemble.py"),
    shell:
        "python scripts/ensemble.py --history {input.history:q} --model {input.model:q} "
        "--output {output:q} --log {log:q}"


rule retrieval:
    input:
        model="<experiment>/models/{dataset}/{cell}/seed{seed}/model.json",
        snapshots="<experiment>/models/{dataset}/{cell}/seed{seed}/snapshots",
        ensemble="<experiment>/models/{dataset}/{cell}/seed{seed}/ensemble.json",
        captions=dataset_file("captions.csv"),
        features=features_file,
    output:
        "<experiment>/retrieval/{dataset}/{cell}/seed{seed}.csv",
    log:
        "<experiment>/logs/retrieval/{dataset}/{cell}/seed{seed}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        folder=subpath(input.model, parent=True),
        folds=setting("folds"),
        code=code_hash("scripts/retrieval.py"),
    shell:
        "python scripts/retrieval.py --dataset {wildcards.dataset:q} --model {params.folder:q} "
        "--captions {input.captions:q} --features {input.features:q} --folds {params.folds:q} "
        "--threads {threads:q} --output {output:q} --log {log:q}"
