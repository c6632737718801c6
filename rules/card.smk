"""A model card for every trained model, in its folder."""


rule card:
    input:
        model=f"{MODEL}/model.json",
        ensemble=f"{MODEL}/ensemble.json",
        retrieval=f"{RETRIEVAL}.csv",
        scores=plan.scores_shown,
        data=lambda wildcards: own(
            f"groundvec/sources/{plan.setting('source')(wildcards)}.yaml"
        ),
        parts=lambda wildcards: [
            own(f"groundvec/{kind}/{part['name']}.yaml")
            for kind, part in parts.chosen(plan.description(wildcards)).items()
        ],
    output:
        f"{MODEL}/README.md",
    log:
        "<experiment>/logs/card/{dataset}/{model}/seed{seed}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(input.model, parent=True),
        source=plan.setting("source"),
        papers=plan.setting("papers"),
        scores=lambda wildcards, input: (
            ["--scores", *input.scores] if input.scores else []
        ),
        references=lambda wildcards: digest(
            papers.references(plan.setting("papers")(wildcards))
        ),
        code=code("scripts/card.py"),
    shell:
        'python "$GROUNDVEC/scripts/card.py" --model {params.folder:q} --source {params.source:q} '
        "--papers {params.papers:q} "
        "--retrieval {input.retrieval:q} {params.scores:q} --output {output:q} --log {log:q}"
