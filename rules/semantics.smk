"""The caption encoders, and baselines beside them, judged by similarity ratings."""


rule pairs_sts:
    input:
        ratings_folders(),
    output:
        pairs="<experiment>/pairs/sts.csv",
        tasks="<experiment>/pairs/sts.tasks.csv",
    log:
        "<experiment>/logs/pairs/sts.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        tokenizer=SEMANTICS.get("tokenizer"),
        lowercase=SEMANTICS.get("lowercase"),
        code=code_hash("scripts/pairs.py"),
    shell:
        "python scripts/pairs.py --log {log:q} sts --folders {input:q} "
        "--tokenizer {params.tokenizer:q} --lowercase {params.lowercase:q} "
        "--output {output.pairs:q} --tasks {output.tasks:q}"


rule pairs_scenes:
    output:
        pairs="<experiment>/pairs/scenes.csv",
        tasks="<experiment>/pairs/scenes.tasks.csv",
    log:
        "<experiment>/logs/pairs/scenes.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_hash("scripts/pairs.py"),
    shell:
        "python scripts/pairs.py --log {log:q} scenes --seed 1 "
        "--output {output.pairs:q} --tasks {output.tasks:q}"


rule semantics:
    input:
        model="<experiment>/models/{dataset}/{cell}/seed{seed}/model.json",
        snapshots="<experiment>/models/{dataset}/{cell}/seed{seed}/snapshots",
        ensemble="<experiment>/models/{dataset}/{cell}/seed{seed}/ensemble.json",
        pairs=PAIRS,
    output:
        multiext(
            "<experiment>/semantics/models/{dataset}/{cell}/seed{seed}",
            scores=".csv",
            similarities=".similarities.csv",
        ),
    log:
        "<experiment>/logs/semantics/{dataset}/{cell}/seed{seed}.log",
    benchmark:
        "<experiment>/benchmarks/semantics/{dataset}/{cell}/seed{seed}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        folder=subpath(input.model, parent=True),
        stem=stem,
        code=code_hash("scripts/semantics.py"),
    shell:
        "python scripts/semantics.py --dataset {wildcards.dataset:q} --model {params.folder:q} "
        "--pairs {input.pairs:q} --threads {threads:q} --output {params.stem:q} --log {log:q}"


rule baseline:
    input:
        pairs=PAIRS,
        files=baseline_files,
    output:
        multiext(
            "<experiment>/semantics/baselines/{baseline}",
            scores=".csv",
            similarities=".similarities.csv",
        ),
    log:
        "<experiment>/logs/semantics/{baseline}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=lambda wildcards: GPU * ("state" in baseline_settings(wildcards)),
    params:
        stem=stem,
        options=baseline_options,
        code=code_hash("scripts/baseline.py"),
    shell:
        "python scripts/baseline.py --name {wildcards.baseline:q} {params.options:q} "
        "--pairs {input.pairs:q} --output {params.stem:q} --log {log:q}"
