"""A panel of the page in which to try the best bag of n-grams, in the reader's browser."""

TRY_IT = f"<experiment>/report/{next(iter(DATASETS))}.try_it.html"


rule try_it:
    input:
        plan.of_dataset(f"{MODEL}/ensemble.json"),
        models=plan.of_dataset(f"{MODEL}/model.json"),
        retrieval=plan.of_dataset(f"{RETRIEVAL}.csv"),
        captions=plan.file_of_parent("captions.csv"),
        features=plan.features_of_seeds,
    output:
        "<experiment>/report/{dataset}.try_it.html",
    log:
        "<experiment>/logs/report/{dataset}.try_it.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(1),
    params:
        files=file_options,
        code=code("scripts/try_it.py"),
    shell:
        'python "$GROUNDVEC/scripts/try_it.py" {params.files:q} --output {output:q} --overwrite --log {log:q}'
