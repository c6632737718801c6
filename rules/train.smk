"""One training for every data set, cell of the architecture grid, and seed."""


rule train:
    input:
        captions=dataset_file("captions.csv"),
        features=features_file,
        vocabulary=vocabulary_file,
    output:
        model="<experiment>/models/{dataset}/{cell}/seed{seed}/model.json",
        history="<experiment>/models/{dataset}/{cell}/seed{seed}/history.csv",
        snapshots=directory("<experiment>/models/{dataset}/{cell}/seed{seed}/snapshots"),
    log:
        "<experiment>/logs/train/{dataset}/{cell}/seed{seed}.log",
    benchmark:
        "<experiment>/benchmarks/train/{dataset}/{cell}/seed{seed}.tsv"
    conda:
        ENVIRONMENT
    # One thread: a recurrent network of this size gains little from a second, and a cell for
    # every core gains a lot. For a single large cell: --set-threads train=8.
    threads: 1
    resources:
        gpu=GPU,
        # MSCOCO takes 2.3 GB (docs/results.md), CUDA's libraries some more.
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        # Minutes. gru-1024 on Flickr8k takes five hours on a single core; what takes longer than
        # the limit goes on in the next attempt. More than a day is refused by many clusters.
        runtime=lambda wildcards, attempt: 60 * min(8 * attempt, 24),
    params:
        folder=subpath(output.model, parent=True),
        language=setting("language"),
        settings=training_options,
        code=code_hash("scripts/train.py"),
    shell:
        # Checkpoints are no output: Snakemake deletes outputs before it tries again.
        # --overwrite: what is there now is of a job that outlived its driver, and is the same.
        "python scripts/train.py --cell {wildcards.cell:q} --seed {wildcards.seed:q} "
        "--captions {input.captions:q} --language {params.language:q} "
        "--features {input.features:q} --vocabulary {input.vocabulary:q} --threads {threads:q} "
        "{params.settings:q} --work results/checkpoints --output {params.folder:q} --overwrite "
        "--log {log:q}"
