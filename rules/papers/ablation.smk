"""The ablation: models side by side."""

ABLATION = "ablation"


rule ablation:
    input:
        plan.shown(ABLATION, f"{MODEL}/ensemble.json"),
        models=plan.shown(ABLATION, f"{MODEL}/model.json"),
        query_ranks=plan.shown(ABLATION, f"{RETRIEVAL}.ranks.csv"),
        history=plan.shown(ABLATION, f"{MODEL}/history.csv"),
        predictions=plan.ratings_of_models(".predictions.csv", ABLATION),
    output:
        tables=tables(ABLATION, "ablation"),
    log:
        f"<experiment>/logs/{ABLATION}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        files=file_options,
        stems=stems,
        code=code(*papers.modules(ABLATION)),
    shell:
        'python "$GROUNDVEC/scripts/report.py" ablation {params.files:q} '
        "--output {params.stems:q} --log {log:q}"


TABLES += rules.ablation.output.tables
