"""The page of an experiment: all its results, in one file for a browser."""

PAGE = "<experiment>/report/index.html"


rule gallery:
    input:
        plan.of_dataset(f"{MODEL}/ensemble.json"),
        models=plan.of_dataset(f"{MODEL}/model.json"),
        retrieval=plan.of_dataset(f"{RETRIEVAL}.csv"),
        captions=plan.file_of_parent("captions.csv"),
        images=plan.file_of_parent("images.csv"),
        features=plan.features_of_seeds,
        treebanks=plan.treebanks,
    output:
        "<experiment>/report/{dataset}.json",
    log:
        "<experiment>/logs/report/{dataset}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(1),
    params:
        files=file_options,
        code=code("scripts/gallery.py"),
    shell:
        'python "$GROUNDVEC/scripts/gallery.py" {params.files:q} --output {output:q} --overwrite --log {log:q}'


rule page:
    input:
        tables=[path for path in TABLES if path.endswith(".csv")],
        figures=[path for path in FIGURES if path.endswith(".svg")],
        retrieval=plan.every_model(f"{RETRIEVAL}.csv", DATASETS),
        galleries=expand("<experiment>/report/{dataset}.json", dataset=DATASETS),
        try_it=TRY_IT,
    output:
        PAGE,
    log:
        "<experiment>/logs/report/page.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        experiment=config["experiment"],
        files=file_options,
        references=digest(papers.references(list(papers.known()))),
        captions=digest(
            *(
                path.read_bytes()
                for paper in plan.papers
                for path in papers.captions(paper).values()
            )
        ),
        code=code("scripts/page.py", *papers.files()),
    shell:
        'python "$GROUNDVEC/scripts/page.py" --experiment {params.experiment:q} {params.files:q} '
        "--output {output:q} --log {log:q}"
