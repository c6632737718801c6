"""What each text learns from the training captions: characters or words; trees are parsed first."""


rule trees:
    input:
        dataset_file("captions.csv"),
    output:
        "results/text/{dataset}/{trees}.{language}.conllu.gz",
    log:
        "results/logs/text/{dataset}/{trees}.{language}.conllu.log",
    wildcard_constraints:
        trees="|".join(PARSERS) or "(?!)",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        parser=lambda wildcards: PARSERS[wildcards.trees],
        code=code("groundvec/text/treebank.py", "groundvec/text/encoded.py"),
    shell:
        'python "$GROUNDVEC/scripts/trees.py" --parser {params.parser:q} --language {wildcards.language:q} '
        "--captions {input:q} --output {output:q} --log {log:q}"


rule trees_ratings:
    input:
        RATED,
    output:
        "<experiment>/ratings/{trees}.conllu.gz",
    log:
        "<experiment>/logs/ratings/{trees}.conllu.log",
    wildcard_constraints:
        trees="|".join(PARSERS) or "(?!)",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        parser=lambda wildcards: PARSERS[wildcards.trees],
        code=code("groundvec/text/treebank.py", "groundvec/text/encoded.py"),
    shell:
        'python "$GROUNDVEC/scripts/trees.py" --parser {params.parser:q} --ratings {input:q} '
        "--output {output:q} --log {log:q}"


rule text:
    input:
        captions=dataset_file("captions.csv"),
        treebanks=text_treebanks,
        sources=text_sources,
    output:
        "results/text/{dataset}/{text}.{language}.json",
    log:
        "results/logs/text/{dataset}/{text}.{language}.log",
    wildcard_constraints:
        text="|".join(TEXTS),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        text=lambda wildcards: json.dumps(text_settings(wildcards), sort_keys=True),
        languages=lambda wildcards: wildcards.language.split("+"),
        treebanks=treebank_option,
        code=lambda wildcards: code_hash(
            "scripts/text.py", f"groundvec/text/{TEXTS[wildcards.text]['name']}.py"
        ),
    shell:
        'python "$GROUNDVEC/scripts/text.py" --text {params.text:q} --captions {input.captions:q} '
        "--languages {params.languages:q} {params.treebanks:q} --output {output:q} --log {log:q}"
