"""The page of an experiment: everything that it gave, in one file for a browser."""

PAGE = "<experiment>/report/index.html"
# What `code` does not see: what is not Python, and captions.
TEMPLATES = [
    *Path("groundvec/reporting/page").glob("page.*"),
    *Path("groundvec/papers").glob("*/__init__.py"),
]


rule gallery:
    input:
        ensembles(trained([])["models"]),
        **trained([]),
        captions=read_file("captions.csv"),
        images=read_file("images.csv"),
        features=features_file,
        treebanks=every_treebank,
    output:
        "<experiment>/report/{dataset}.json",
    log:
        "<experiment>/logs/report/{dataset}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        files=as_options,
        code=code("scripts/gallery.py"),
    shell:
        'python "$GROUNDVEC/scripts/gallery.py" {params.files:q} --output {output:q} --log {log:q}'


rule page:
    input:
        tables=[name for name in tables() if name.endswith(".csv")],
        figures=[name for name in figures() if name.endswith(".svg")],
        histories=every_model(f"{MODEL}/history.csv", DATASETS),
        retrieval=every_model(f"{RETRIEVAL}.csv", DATASETS),
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
        files=as_options,
        code=code("scripts/page.py", *papers.compared_files()),
        template=digest(*(path.read_bytes() for path in sorted(TEMPLATES))),
    shell:
        'python "$GROUNDVEC/scripts/page.py" --experiment {params.experiment:q} {params.files:q} '
        "--output {output:q} --log {log:q}"
