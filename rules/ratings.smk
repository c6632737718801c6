"""People's ratings, and how caption encoders and baselines agree with them."""


rule ratings_sts:
    input:
        folders=[f"data/sts/{name}" for name in chosen(Path("data/sts"), MIRROR)],
    output:
        ratings="<experiment>/ratings/sts.csv",
        tasks="<experiment>/ratings/sts.tasks.csv",
    log:
        "<experiment>/logs/ratings/sts.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        how=["sts", "--settings", as_json(stage_settings("rated", plan.ratings))],
        files=file_options,
        code=code("groundvec/data/ratings.py"),
    shell:
        'python "$GROUNDVEC/scripts/ratings.py" --log {log:q} {params.how:q} {params.files:q} '
        "--output {output.ratings:q} --tasks {output.tasks:q}"


use rule ratings_sts as ratings_scenes with:
    input:
        [],
    output:
        ratings="<experiment>/ratings/scenes.csv",
        tasks="<experiment>/ratings/scenes.tasks.csv",
    log:
        "<experiment>/logs/ratings/scenes.log",
    localrule: True  # `use rule` does not copy it
    params:
        how=["scenes"],
        files=file_options,
        code=code("reproduction/scenes/ratings.py", "groundvec/data/ratings.py"),


rule rate:
    input:
        *TRAINED,
        ratings=plan.rated,
        treebanks=plan.treebank_of_ratings,
    output:
        multiext(
            RATED_BY_MODEL,
            scores=".csv",
            predictions=".predictions.csv",
        ),
    log:
        "<experiment>/logs/ratings/models/{dataset}/{model}/seed{seed}.log",
    benchmark:
        "<experiment>/benchmarks/ratings/{dataset}/{model}/seed{seed}.tsv"
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
        how=plan.rate_options,
        stem=subpath(output.scores, strip_suffix=".csv"),
        code=code("scripts/rate.py"),
    shell:
        'python "$GROUNDVEC/scripts/rate.py" --model {params.folder:q} {params.files:q} '
        "{params.how:q} --threads {threads:q} --output {params.stem:q} --overwrite --log {log:q}"


rule overlap:
    input:
        f"{MODEL}/model.json",
        predictions=f"{RATED_BY_MODEL}.predictions.csv",
        ratings=plan.rated,
        captions=plan.file_of_parent("captions.csv"),
    output:
        f"{RATED_BY_MODEL}.overlap.csv",
    log:
        "<experiment>/logs/ratings/models/{dataset}/{model}/seed{seed}.overlap.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(input[0], parent=True),
        files=file_options,
        code=code("scripts/overlap.py"),
    shell:
        'python "$GROUNDVEC/scripts/overlap.py" --model {params.folder:q} {params.files:q} '
        "--output {output:q} --log {log:q}"


rule baseline:
    input:
        ratings=plan.rated,
        files=lambda wildcards: map(archive, plan.baseline_files(wildcards).values()),
    output:
        multiext(
            RATED_BY_BASELINE,
            scores=".csv",
            predictions=".predictions.csv",
        ),
    log:
        "<experiment>/logs/ratings/baselines/{baseline}.log",
    conda:
        ENVIRONMENT
    resources:
        gpu=lambda wildcards: GPU * on_gpu(plan.baseline(wildcards)["encoder"]),
        mem_mb=gigabytes(8),
        runtime=hours(8),
    params:
        stem=subpath(output.scores, strip_suffix=".csv"),
        baseline=lambda wildcards: as_json(
            plan.baseline(wildcards) | plan.baseline_files(wildcards)
        ),
        code=lambda wildcards: code_hash(
            "scripts/baseline.py",
            parts.file("baselines", plan.baseline(wildcards)["encoder"]),
        ),
    shell:
        'python "$GROUNDVEC/scripts/baseline.py" --name {wildcards.baseline:q} '
        "--baseline {params.baseline:q} --ratings {input.ratings:q} --output {params.stem:q} --overwrite --log {log:q}"
