"""Image networks that are trained further, together with a trained text encoder."""


rule tune:
    input:
        plan.trained_before,
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
    output:
        # The folder has the name of the features that its weights are for.
        weights="results/tuned/{dataset}/{backbone}/tuned.pth",
        history="results/tuned/{dataset}/{backbone}/history.csv",
        tuned="results/tuned/{dataset}/{backbone}/tuned.json",
    log:
        "results/logs/tune/{dataset}/{backbone}.log",
    benchmark:
        "results/benchmarks/tune/{dataset}/{backbone}.tsv"
    wildcard_constraints:
        backbone=any_of(features for _, features in plan.tuned),
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=gigabytes(8),
        runtime=RESUMED,
    params:
        folder=subpath(output.weights, parent=True),
        trained=subpath(input[0], parent=True),
        files=file_options,
        settings=lambda wildcards: as_json(
            stage_settings("tuning", plan.tuning(wildcards))
        ),
        code=lambda wildcards: code_hash(
            "scripts/tune.py", *parts.files(plan.tuned_description(wildcards))
        ),
    shell:
        # Checkpoints are no output, as in train.smk.
        'python "$GROUNDVEC/scripts/tune.py" --dataset {wildcards.dataset:q} --trained {params.trained:q} '
        "{params.files:q} --settings {params.settings:q} --threads {threads:q} --work results/checkpoints "
        "--output {params.folder:q} --overwrite --log {log:q}"
