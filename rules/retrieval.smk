"""Ensembles of snapshots, their retrieval scores, and the best of each data set."""


rule ensemble:
    input:
        model=MODEL + "/model.json",
        history=MODEL + "/history.csv",
    output:
        MODEL + "/ensemble.json",
    log:
        EXPERIMENT + "/logs/ensemble/{dataset}/{cell}/seed{seed}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_hash("scripts/ensemble.py"),
    shell:
        "python scripts/ensemble.py --history {input.history} --model {input.model} "
        "--output {output} --log {log}"


rule retrieval:
    input:
        model=MODEL + "/model.json",
        snapshots=MODEL + "/snapshots",
        ensemble=MODEL + "/ensemble.json",
        captions=dataset_file("captions.csv"),
        features=features_file,
    output:
        EXPERIMENT + "/retrieval/{dataset}/{cell}/seed{seed}.csv",
    log:
        EXPERIMENT + "/logs/retrieval/{dataset}/{cell}/seed{seed}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=GPU,
    params:
        folds=setting("folds"),
        code=code_hash("scripts/retrieval.py"),
    shell:
        "python scripts/retrieval.py --dataset {wildcards.dataset} "
        "--model $(dirname {input.model}) --captions {input.captions} "
        "--features {input.features} --folds {params.folds} --threads {threads} "
        "--output {output} --log {log}"
