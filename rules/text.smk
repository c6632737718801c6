"""The vocabulary of each text, from the training captions; for trees, these are parsed first."""


rule trees:
    input:
        captions=f"{DATASET}/captions.csv",
    output:
        "results/text/{dataset}/{trees}.{language}.conllu.gz",
    log:
        "results/logs/text/{dataset}/{trees}.{language}.conllu.log",
    wildcard_constraints:
        trees=any_of(plan.parsers),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(2),
    params:
        files=file_options,
        language=lambda wildcards: getattr(wildcards, "language", "en"),
        parser=lambda wildcards: plan.parsers[wildcards.trees],
        code=code("reproduction/text/treebank.py", "groundvec/text/encoded.py"),
    shell:
        'python "$GROUNDVEC/scripts/trees.py" --parser {params.parser:q} '
        "--language {params.language:q} {params.files:q} --output {output:q} --overwrite --log {log:q}"


use rule trees as trees_ratings with:
    input:
        ratings=plan.rated,
    output:
        "<experiment>/ratings/{trees}.conllu.gz",
    log:
        "<experiment>/logs/ratings/{trees}.conllu.log",


rule text:
    input:
        lambda wildcards: map(archive, plan.text_sources(wildcards).values()),
        captions=f"{DATASET}/captions.csv",
        treebanks=plan.treebanks,
    output:
        "results/text/{dataset}/{text}.{language}.json",
    log:
        "results/logs/text/{dataset}/{text}.{language}.log",
    wildcard_constraints:
        text=any_of(plan.texts),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        text=lambda wildcards: as_json(
            plan.texts[wildcards.text] | plan.text_sources(wildcards)
        ),
        languages=lambda wildcards: wildcards.language.split("+"),
        files=file_options,
        code=lambda wildcards: code_hash(
            "scripts/text.py",
            parts.file("text", plan.texts[wildcards.text]["name"]),
        ),
    shell:
        'python "$GROUNDVEC/scripts/text.py" --text {params.text:q} {params.files:q} '
        "--languages {params.languages:q} --output {output:q} --log {log:q}"
