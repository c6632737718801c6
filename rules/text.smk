"""What each text learns from the training captions: characters or words; trees are parsed first."""


rule trees:
    input:
        f"{DATASET}/captions.csv",
    output:
        "results/text/{dataset}/{trees}.{language}.conllu.gz",
    log:
        "results/logs/text/{dataset}/{trees}.{language}.conllu.log",
    wildcard_constraints:
        trees=any_of(plan.parsers),
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(2),
    params:
        parser=lambda wildcards: plan.parsers[wildcards.trees],
        code=code("groundvec/text/treebank.py", "groundvec/text/encoded.py"),
    shell:
        # --overwrite: as in the rule train.
        'python "$GROUNDVEC/scripts/trees.py" --parser {params.parser:q} --language {wildcards.language:q} '
        "--captions {input:q} --output {output:q} --overwrite --log {log:q}"


rule trees_ratings:
    input:
        plan.rated,
    output:
        "<experiment>/ratings/{trees}.conllu.gz",
    log:
        "<experiment>/logs/ratings/{trees}.conllu.log",
    wildcard_constraints:
        trees=any_of(plan.parsers),
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(2),
    params:
        parser=lambda wildcards: plan.parsers[wildcards.trees],
        code=code("groundvec/text/treebank.py", "groundvec/text/encoded.py"),
    shell:
        # --overwrite: as in the rule train.
        'python "$GROUNDVEC/scripts/trees.py" --parser {params.parser:q} --ratings {input:q} '
        "--output {output:q} --overwrite --log {log:q}"


rule text:
    input:
        captions=f"{DATASET}/captions.csv",
        treebanks=plan.text_treebanks,
        sources=plan.text_sources,
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
        text=lambda wildcards: json.dumps(plan.text_settings(wildcards), sort_keys=True),
        languages=lambda wildcards: wildcards.language.split("+"),
        treebanks=treebank_option,
        code=lambda wildcards: code_hash(
            "scripts/text.py",
            parts.file("text", plan.texts[wildcards.text]["name"]),
        ),
    shell:
        'python "$GROUNDVEC/scripts/text.py" --text {params.text:q} --captions {input.captions:q} '
        "--languages {params.languages:q} {params.treebanks:q} --output {output:q} --log {log:q}"
