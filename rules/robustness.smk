"""What badly typed sentences do to models and baselines."""

ROBUST = RATINGS.get("robustness", [])
ROBUSTNESS = "<experiment>/robustness/{dataset}/{model}/seed{seed}.csv"
ROBUSTNESS_OF_BASELINE = "<experiment>/robustness/baselines/{baseline}.csv"


rule robustness:
    input:
        model=f"{MODEL}/model.json",
        snapshots=f"{MODEL}/snapshots",
        ensemble=f"{MODEL}/ensemble.json",
        ratings=RATED,
        captions=read_file("captions.csv"),
        features=features_file,
    output:
        ROBUSTNESS,
    log:
        "<experiment>/logs/robustness/{dataset}/{model}/seed{seed}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * min(8 * attempt, 24),
    params:
        folder=subpath(input.model, parent=True),
        tokenised=["--tokenised"] if tokenised() else [],
        code=code("scripts/robustness.py"),
    shell:
        'python "$GROUNDVEC/scripts/robustness.py" --trained {params.folder:q} --ratings {input.ratings:q} '
        "{params.tokenised:q} --captions {input.captions:q} --features {input.features:q} "
        "--threads {threads:q} --output {output:q} --log {log:q}"


rule robustness_of_baseline:
    input:
        ratings=RATED,
        files=baseline_files,
    output:
        ROBUSTNESS_OF_BASELINE,
    log:
        "<experiment>/logs/robustness/baselines/{baseline}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=gpu_of_baseline,
    params:
        options=baseline_options,
        code=baseline_code("scripts/robustness.py"),
    shell:
        'python "$GROUNDVEC/scripts/robustness.py" --name {wildcards.baseline:q} {params.options:q} '
        "--ratings {input.ratings:q} --output {output:q} --log {log:q}"
