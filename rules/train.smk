"""One training for every data set, model and seed."""


rule train:
    input:
        plan.twin,
        captions=plan.file_of_parent("captions.csv"),
        features=plan.features_file,
        texts=plan.text_files,
        treebanks=plan.treebanks,
    output:
        model=f"{MODEL}/model.json",
        history=f"{MODEL}/history.csv",
        snapshots=directory(f"{MODEL}/snapshots"),
    log:
        "<experiment>/logs/train/{dataset}/{model}/seed{seed}.log",
    benchmark:
        "<experiment>/benchmarks/train/{dataset}/{model}/seed{seed}.tsv"
    conda:
        ENVIRONMENT
    # One thread: a recurrent network of this size gains little from a second one, while one model per
    # core gains a lot. For a single large model: --set-threads train=8.
    threads: 1
    resources:
        gpu=GPU,
        # MSCOCO takes 2.3 GB (docs/merkx-frank-2019.md), CUDA's libraries some more.
        mem_mb=gigabytes(8),
        # gru-1024 on Flickr8k takes two to four hours on a CPU in bfloat16. A training that takes longer
        # than the limit resumes in the next attempt.
        runtime=RESUMED,
    params:
        folder=subpath(output.model, parent=True),
        files=file_options,
        description=lambda wildcards: as_json(plan.description(wildcards)),
        source=plan.value("source"),
        draw=lambda wildcards: options(
            {"draw": DATASETS[wildcards.dataset].get("draw", [])}
        ),
        code=lambda wildcards: code_hash(
            "scripts/train.py", *parts.files(plan.description(wildcards))
        ),
    shell:
        # Checkpoints are no output: Snakemake would delete them before the next attempt.
        # Merkx & Frank's Figure 4 plots the first epochs.
        'python "$GROUNDVEC/scripts/train.py" --dataset {wildcards.dataset:q} --source {params.source:q} '
        "--name {wildcards.model:q} "
        "--description {params.description:q} --seed {wildcards.seed:q} {params.draw:q} "
        "{params.files:q} --early-epochs 8 --threads {threads:q} --work results/checkpoints --output {params.folder:q} --overwrite "
        "--log {log:q}"
