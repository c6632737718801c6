"""Features of all images of a data set, in one HDF5 file."""


rule extract_features:
    input:
        images=f"{DATASET}/images.csv",
        weights_file=plan.backbone_weights,
    output:
        temp("results/features/{dataset}/{backbone}.part{part}-of-{parts}.h5"),
    log:
        "results/logs/features/{dataset}/{backbone}.part{part}-of-{parts}.log",
    benchmark:
        "results/benchmarks/features/{dataset}/{backbone}.part{part}-of-{parts}.tsv"
    wildcard_constraints:
        backbone=r"(?!precomputed)[\w-]+",
    conda:
        ENVIRONMENT
    threads: 8
    resources:
        gpu=GPU,
        # Eight processes, each with crops of its own: 2.5 GB in the benchmark of a small network.
        mem_mb=gigabytes(16),
        runtime=RESUMED,
    params:
        files=file_options,
        backbone=plan.network,
        weights=plan.value("weights"),
        settings=plan.settings("extraction"),
        code=code("scripts/extract_features.py"),
    shell:
        # --work keeps the finished part of a killed extraction. It is no output, as in train.smk.
        'python "$GROUNDVEC/scripts/extract_features.py" {params.files:q} '
        "--backbone {params.backbone:q} --weights {params.weights:q} --settings {params.settings:q} "
        "--part {wildcards.part:q} --parts {wildcards.parts:q} --threads {threads:q} "
        "--work results/checkpoints/features --output {output:q} --overwrite --log {log:q}"


# Parts are merged into one file: an HDF5 virtual data set would need the parts as long as it is read.
# For MSCOCO's 1 GB, merging takes 24 s on a busy machine, and 1.3 GB of memory.
rule join_features:
    input:
        images=f"{DATASET}/images.csv",
        features=plan.parts_of_features,
    output:
        "results/features/{dataset}/{backbone}.h5",
    log:
        "results/logs/features/{dataset}/{backbone}.log",
    wildcard_constraints:
        backbone=r"[\w-]+",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code("scripts/join_features.py"),
    shell:
        'python "$GROUNDVEC/scripts/join_features.py" --parts {input.features:q} --images {input.images:q} '
        "--output {output:q} --log {log:q}"


rule concatenate_features:
    input:
        images=f"{DATASET}/images.csv",
        features=plan.features_of_each,
    output:
        "results/features/{dataset}/{backbones}.h5",
    log:
        "results/logs/features/{dataset}/{backbones}.log",
    wildcard_constraints:
        backbones=any_of(map(re.escape, plan.concatenated)),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code("scripts/concatenate_features.py"),
    shell:
        'python "$GROUNDVEC/scripts/concatenate_features.py" --features {input.features:q} '
        "--images {input.images:q} --output {output:q} --log {log:q}"
