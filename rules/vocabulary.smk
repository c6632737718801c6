"""The characters of the training captions."""


rule vocabulary:
    input:
        dataset_file("captions.csv"),
    output:
        "results/vocabulary/{dataset}.{language}.json",
    log:
        "results/logs/vocabulary/{dataset}.{language}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code_hash("scripts/vocabulary.py"),
    shell:
        "python scripts/vocabulary.py --captions {input:q} --language {wildcards.language:q} "
        "--output {output:q} --log {log:q}"
