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
        *TRAINED,
        captions=plan.file_of_parent("captions.csv"),
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
        folder=subpath(input[0], parent=True),
        files=file_options,
        settings=plan.settings("retrieval"),
        stem=subpath(output.scores, strip_suffix=".csv"),
        code=code("scripts/retrieval.py"),
    shell:
        'python "$GROUNDVEC/scripts/retrieval.py" --model {params.folder:q} {params.files:q} '
        "--settings {params.settings:q} --threads {threads:q} --output {params.stem:q} --overwrite "
        "--log {log:q}"
