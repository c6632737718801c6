"""What badly typed sentences do to models and baselines."""


rule robustness:
    input:
        *TRAINED,
        ratings=plan.rated,
        captions=plan.file_of_source("captions.csv"),
        features=plan.features_file,
    output:
        ROBUSTNESS,
    log:
        "<experiment>/logs/robustness/{dataset}/{model}/seed{seed}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=gigabytes(8),
        runtime=hours(8),
    params:
        folder=subpath(input[0], parent=True),
        files=file_options,
        tokenised=plan.tokenised_option,
        code=code("scripts/robustness.py"),
    shell:
        # --overwrite: as in the rule train.
        'python "$GROUNDVEC/scripts/robustness.py" --trained {params.folder:q} {params.files:q} '
        "{params.tokenised:q} --threads {threads:q} --output {output:q} --overwrite --log {log:q}"


rule robustness_of_baseline:
    input:
        ratings=plan.rated,
        files=plan.baseline_files,
    output:
        ROBUSTNESS_OF_BASELINE,
    log:
        "<experiment>/logs/robustness/baselines/{baseline}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=lambda wildcards: GPU * plan.baseline_on_gpu(wildcards),
        mem_mb=gigabytes(8),
        runtime=hours(8),
    params:
        baseline=plan.baseline,
        code=baseline_code("scripts/robustness.py"),
    shell:
        # --overwrite: as in the rule train.
        'python "$GROUNDVEC/scripts/robustness.py" --name {wildcards.baseline:q} '
        "--baseline {params.baseline:q} --ratings {input.ratings:q} --output {output:q} --overwrite --log {log:q}"
