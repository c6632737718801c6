"""The tables and figures of Merkx & Frank (2019)."""

from reproduction.papers.merkx_frank_2019 import has_paper_architecture

MERKX = "merkx_frank_2019"
RATED = plan.all_are_rated(MERKX)


rule merkx_frank_2019:
    input:
        plan.shown(MERKX, f"{MODEL}/ensemble.json"),
        models=plan.shown(MERKX, f"{MODEL}/model.json"),
        retrieval=plan.shown(MERKX, f"{RETRIEVAL}.csv"),
        query_ranks=plan.shown(MERKX, f"{RETRIEVAL}.ranks.csv"),
        scores=plan.ratings_files(".csv", MERKX) if RATED else [],
        predictions=plan.ratings_files(".predictions.csv", MERKX) if RATED else [],
        overlap=plan.ratings_of_models(".overlap.csv", MERKX) if RATED else [],
        ratings=plan.rated if RATED else [],
        tasks=plan.rated_tasks if RATED else [],
        reported=reported(MERKX, "table2", "table_s1", "section_4_3_4"),
    output:
        tables=[
            tables(MERKX, "table2", "snapshots"),
            tables(MERKX, "table1", "table3", when=RATED),
            tables(
                MERKX, "table_s1", "table_s1-spearman", "table_s1-models", when=RATED
            ),
            tables(MERKX, "section_4_3", "section_4_3_4", "claims", when=RATED),
        ],
        figures=[
            figures(MERKX, "figure2", when=plan.compares(MERKX)),
            figures(MERKX, "figure3", when=RATED),
            figures(MERKX, "figure4"),
        ],
        tests=f"<experiment>/{MERKX}/tables/section_4_3-tests.csv" if RATED else [],
    log:
        f"<experiment>/logs/{MERKX}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        files=file_options,
        select=config["select"],
        stems=stems,
        code=code(*papers.modules(MERKX)),
    shell:
        'python "$GROUNDVEC/scripts/report.py" merkx_frank_2019 {params.files:q} '
        "--select {params.select:q} --output {params.stems:q} --log {log:q}"


rule merkx_frank_2019_figure1:
    input:
        project_file(f"reproduction/papers/{MERKX}/figure1.svg"),
    output:
        shown(f"<experiment>/{MERKX}/figures/figure1.svg", MERKX, "figure1", "Figures"),
    log:
        f"<experiment>/logs/{MERKX}_figure1.log",
    localrule: True
    conda:
        ENVIRONMENT
    shell:
        "cp {input:q} {output:q} 2> {log:q}"


TABLES += rules.merkx_frank_2019.output.tables
FIGURES += rules.merkx_frank_2019.output.figures
if any(map(has_paper_architecture, plan.descriptions(MERKX))):
    FIGURES += rules.merkx_frank_2019_figure1.output
