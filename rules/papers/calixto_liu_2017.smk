"""The tables of Calixto & Liu (2017)."""

from reproduction.papers.calixto_liu_2017 import comparable

CALIXTO = "calixto_liu_2017"
RERANKS = bool(plan.rerankers)
COMPARES = any(comparable(DATASETS[dataset]) for dataset in plan.shown_in(CALIXTO))


rule calixto_liu_2017:
    input:
        plan.shown(CALIXTO, f"{MODEL}/ensemble.json"),
        models=plan.shown(CALIXTO, f"{MODEL}/model.json"),
        retrieval=plan.shown(CALIXTO, f"{RETRIEVAL}.csv"),
        query_ranks=plan.shown(CALIXTO, f"{RETRIEVAL}.ranks.csv"),
        scores=plan.ratings_files(".csv", CALIXTO),
        predictions=plan.ratings_files(".predictions.csv", CALIXTO),
        rerankers=[f"{folder}/model.json" for folder in plan.rerankers],
        reranked=plan.reranked if RERANKS else [],
        reported=reported(CALIXTO, "table1", "table2", "tables_3_4"),
    output:
        # In this order: the claims are about Tables 1 to 4.
        tables=[
            tables(CALIXTO, "table1"),
            tables(CALIXTO, "table2", when=plan.ratings_of_models(".csv", CALIXTO)),
            tables(CALIXTO, "table3", when=RERANKS),
            tables(
                CALIXTO, "table4", when=RERANKS and len(plan.translation["n_best"]) > 1
            ),
            tables(CALIXTO, "claims", when=RERANKS or COMPARES),
        ],
    log:
        f"<experiment>/logs/{CALIXTO}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        files=file_options,
        stems=stems,
        code=code(*papers.modules(CALIXTO)),
    shell:
        'python "$GROUNDVEC/scripts/report.py" calixto_liu_2017 {params.files:q} '
        "--output {params.stems:q} --log {log:q}"


TABLES += rules.calixto_liu_2017.output.tables
