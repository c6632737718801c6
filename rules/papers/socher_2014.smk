"""The tables and figures of Socher et al. (2014)."""

from reproduction.papers.socher_2014 import has_relations, of_table2

SOCHER = "socher_2014"
IN_TABLE2 = [of_table2(model) for model in plan.descriptions(SOCHER)]
# The data sets with an SDT-RNN, and those with a model of English sentences.
WITH_RELATIONS = plan.datasets_with(SOCHER, has_relations)
WITH_ENGLISH = plan.datasets_with(SOCHER, reads_english)


rule socher_2014:
    input:
        plan.shown(SOCHER, f"{MODEL}/ensemble.json"),
        models=plan.shown(SOCHER, f"{MODEL}/model.json"),
        retrieval=plan.shown(SOCHER, f"{RETRIEVAL}.csv"),
        query_ranks=plan.shown(SOCHER, f"{RETRIEVAL}.ranks.csv"),
        reported=reported(SOCHER, "tables", "section_6_7"),
    output:
        tables=[
            tables(SOCHER, "table1", when=not all(IN_TABLE2)),
            tables(SOCHER, "table2", when=any(IN_TABLE2)),
            tables(SOCHER, "table3"),
            tables(SOCHER, "claims", when=plan.compares(SOCHER, 3)),
            tables(SOCHER, "section_6_7", when=WITH_RELATIONS),
        ],
    log:
        f"<experiment>/logs/{SOCHER}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(2),
    params:
        files=file_options,
        stems=stems,
        code=code(*papers.modules(SOCHER)),
    shell:
        'python "$GROUNDVEC/scripts/report.py" socher_2014 {params.files:q} '
        "--output {params.stems:q} --overwrite --log {log:q}"


rule socher_2014_trees:
    input:
        plan.of_dataset(f"{MODEL}/ensemble.json", has_relations),
        models=plan.of_dataset(f"{MODEL}/model.json", has_relations),
        captions=plan.file_of_parent("captions.csv"),
        images=plan.file_of_parent("images.csv"),
        features=plan.features_of_seeds,
        treebanks=plan.treebanks,
    output:
        tables=tables(SOCHER, "section_6_6-{dataset}", "section_6_6-{dataset}-shares"),
        figures=figures(SOCHER, "figure3-{dataset}", "samples-{dataset}"),
    log:
        f"<experiment>/logs/{SOCHER}_trees/{{dataset}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(1),
    params:
        files=file_options,
        stems=stems,
        code=code(*papers.modules(SOCHER)),
    shell:
        'python "$GROUNDVEC/scripts/report.py" socher_2014 {params.files:q} '
        "--output {params.stems:q} --overwrite --log {log:q}"


rule socher_2014_passives:
    input:
        plan.of_dataset(f"{MODEL}/ensemble.json"),
        models=plan.of_dataset(f"{MODEL}/model.json"),
    output:
        tables(SOCHER, "active_passive-{dataset}"),
    log:
        f"<experiment>/logs/{SOCHER}_passives/{{dataset}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(1),
    params:
        files=file_options,
        stems=stems,
        code=code(*papers.modules(SOCHER)),
    shell:
        'python "$GROUNDVEC/scripts/report.py" socher_2014 {params.files:q} '
        "--output {params.stems:q} --overwrite --log {log:q}"


TABLES += rules.socher_2014.output.tables
TABLES += expand(rules.socher_2014_trees.output.tables, dataset=WITH_RELATIONS)
TABLES += expand(rules.socher_2014_passives.output, dataset=WITH_ENGLISH)
FIGURES += expand(rules.socher_2014_trees.output.figures, dataset=WITH_RELATIONS)
