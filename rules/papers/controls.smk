"""The controls: the same encoders without training, and trained on parts of the data."""

CONTROLS = "controls"

if plan.all_are_rated(CONTROLS):

    rule controls:
        input:
            plan.shown(CONTROLS, f"{MODEL}/ensemble.json"),
            models=plan.shown(CONTROLS, f"{MODEL}/model.json"),
            query_ranks=plan.shown(CONTROLS, f"{RETRIEVAL}.ranks.csv"),
            predictions=plan.ratings_files(".predictions.csv", CONTROLS),
            tasks=plan.rated_tasks,
        output:
            # In this order: the figure shows the claims.
            tables=tables(CONTROLS, "controls", "claims"),
            figures=figures(CONTROLS, "differences"),
        log:
            f"<experiment>/logs/{CONTROLS}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            files=file_options,
            stems=stems,
            code=code(*papers.modules(CONTROLS)),
        shell:
            'python "$GROUNDVEC/scripts/report.py" controls {params.files:q} '
            "--output {params.stems:q} --log {log:q}"

    TABLES += rules.controls.output.tables
    FIGURES += rules.controls.output.figures
