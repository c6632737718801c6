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
    resources:
        gpu=GPU,
        mem_mb=gigabytes(8),
        runtime=hours(8),
    params:
        system=lambda wildcards, input: [
            "--trained",
            os.path.dirname(input[0]),
            *plan.tokenized_option,
        ],
        files=file_options,
        code=code("scripts/robustness.py"),
    shell:
        'python "$GROUNDVEC/scripts/robustness.py" {params.system:q} {params.files:q} '
        "--threads {threads:q} --output {output:q} --overwrite --log {log:q}"


use rule robustness as robustness_of_baseline with:
    input:
        plan.baseline_files,
        ratings=plan.rated,
    output:
        ROBUSTNESS_OF_BASELINE,
    log:
        "<experiment>/logs/robustness/baselines/{baseline}.log",
    resources:
        gpu=lambda wildcards: GPU * plan.baseline_on_gpu(wildcards),
        mem_mb=gigabytes(8),
        runtime=hours(8),
    params:
        system=lambda wildcards: options(
            {"name": wildcards.baseline, "baseline": plan.baseline(wildcards)}
        ),
        files=file_options,
        code=baseline_code("scripts/robustness.py"),
