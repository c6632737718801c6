"""People's ratings, and how the caption encoders and baselines beside them agree with these."""


rule ratings_sts:
    input:
        rated_folders(),
    output:
        ratings="<experiment>/ratings/sts.csv",
        tasks="<experiment>/ratings/sts.tasks.csv",
    log:
        "<experiment>/logs/ratings/sts.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        tokenizer=RATINGS.get("tokenizer"),
        lowercase=RATINGS.get("lowercase"),
        code=code("groundvec/data/ratings.py"),
    shell:
        'python "$GROUNDVEC/scripts/ratings.py" --log {log:q} sts --folders {input:q} '
        "--tokenizer {params.tokenizer:q} --lowercase {params.lowercase:q} "
        "--output {output.ratings:q} --tasks {output.tasks:q}"


rule ratings_scenes:
    output:
        ratings="<experiment>/ratings/scenes.csv",
        tasks="<experiment>/ratings/scenes.tasks.csv",
    log:
        "<experiment>/logs/ratings/scenes.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code("groundvec/scenes/ratings.py", "groundvec/data/ratings.py"),
    shell:
        'python "$GROUNDVEC/scripts/ratings.py" --log {log:q} scenes --seed 1 '
        "--output {output.ratings:q} --tasks {output.tasks:q}"


rule rate:
    input:
        model=f"{MODEL}/model.json",
        snapshots=f"{MODEL}/snapshots",
        ensemble=f"{MODEL}/ensemble.json",
        ratings=RATED,
        treebanks=treebank_of_ratings,
    output:
        multiext(
            "<experiment>/ratings/models/{dataset}/{model}/seed{seed}",
            scores=".csv",
            predictions=".predictions.csv",
        ),
    log:
        "<experiment>/logs/ratings/models/{dataset}/{model}/seed{seed}.log",
    benchmark:
        "<experiment>/benchmarks/ratings/{dataset}/{model}/seed{seed}.tsv"
    conda:
        ENVIRONMENT
    # One for each model, but for the largest, which on a single core would need the limit below
    # (docs/performance.md).
    threads: lambda wildcards: 4 if parts.vector_size(description(wildcards)) >= 4096 else 1
    resources:
        gpu=GPU,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        # Minutes.
        runtime=lambda wildcards, attempt: 60 * min(8 * attempt, 24),
    params:
        folder=subpath(input.model, parent=True),
        stem=stem,
        tokenised=["--tokenised"] if tokenised() else [],
        few=few_epochs,
        treebanks=treebank_option,
        code=code("scripts/rate.py"),
    shell:
        'python "$GROUNDVEC/scripts/rate.py" --model {params.folder:q} --ratings {input.ratings:q} '
        "{params.tokenised:q} {params.few:q} {params.treebanks:q} --threads {threads:q} "
        "--output {params.stem:q} --log {log:q}"


rule overlap:
    input:
        model=f"{MODEL}/model.json",
        predictions="<experiment>/ratings/models/{dataset}/{model}/seed{seed}.predictions.csv",
        ratings=RATED,
        captions=read_file("captions.csv"),
    output:
        OVERLAP,
    log:
        "<experiment>/logs/ratings/models/{dataset}/{model}/seed{seed}.overlap.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(input.model, parent=True),
        code=code("scripts/overlap.py"),
    shell:
        'python "$GROUNDVEC/scripts/overlap.py" --model {params.folder:q} --ratings {input.ratings:q} '
        "--predictions {input.predictions:q} --captions {input.captions:q} "
        "--output {output:q} --log {log:q}"


rule baseline:
    input:
        ratings=RATED,
        files=baseline_files,
    output:
        multiext(
            "<experiment>/ratings/baselines/{baseline}",
            scores=".csv",
            predictions=".predictions.csv",
        ),
    log:
        "<experiment>/logs/ratings/baselines/{baseline}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=gpu_of_baseline,
    params:
        stem=stem,
        options=baseline_options,
        code=baseline_code("scripts/baseline.py"),
    shell:
        'python "$GROUNDVEC/scripts/baseline.py" --name {wildcards.baseline:q} {params.options:q} '
        "--ratings {input.ratings:q} --output {params.stem:q} --log {log:q}"
