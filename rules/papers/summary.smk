"""The summary of an experiment: all systems in one table, and their learning curves."""

SUMMARY = "summary"


rule summary:
    input:
        plan.shown(SUMMARY, f"{MODEL}/ensemble.json"),
        reported("merkx_frank_2019", "table2", "table_s1"),
        models=plan.shown(SUMMARY, f"{MODEL}/model.json"),
        history=plan.shown(SUMMARY, f"{MODEL}/history.csv"),
        retrieval=plan.shown(SUMMARY, f"{RETRIEVAL}.csv"),
        scores=plan.ratings_files(".csv", SUMMARY),
    output:
        tables=tables(SUMMARY, "summary"),
        figures=figures(SUMMARY, "learning"),
    log:
        f"<experiment>/logs/{SUMMARY}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        files=file_options,
        stems=stems,
        code=code(*papers.modules(SUMMARY)),
    shell:
        'python "$GROUNDVEC/scripts/report.py" summary {params.files:q} '
        "--output {params.stems:q} --log {log:q}"


TABLES += rules.summary.output.tables
FIGURES += rules.summary.output.figures
