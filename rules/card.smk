"""A model card for every trained model, in its folder."""


rule card:
    input:
        f"{MODEL}/model.json",
        f"{MODEL}/ensemble.json",
        lambda wildcards: project_file(
            parts.schema_file("sources", plan.value("source")(wildcards))
        ),
        lambda wildcards: [
            project_file(parts.schema_file(kind, part["name"]))
            for kind, part in parts.chosen(plan.description(wildcards)).items()
        ],
        retrieval=f"{RETRIEVAL}.csv",
        scores=plan.scores_shown,
    output:
        f"{MODEL}/README.md",
    log:
        "<experiment>/logs/card/{dataset}/{model}/seed{seed}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(input[0], parent=True),
        files=file_options,
        source=plan.value("source"),
        papers=plan.value("papers"),
        references=lambda wildcards: digest(
            papers.references(plan.value("papers")(wildcards))
        ),
        code=code("scripts/card.py"),
    shell:
        'python "$GROUNDVEC/scripts/card.py" --model {params.folder:q} --source {params.source:q} '
        "--papers {params.papers:q} {params.files:q} --output {output:q} --log {log:q}"
