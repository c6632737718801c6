"""The characters of the training captions."""


rule vocabulary:
    input:
        dataset_file("captions.csv"),
    output:
        "results/vocabulary/{dataset}.json",
    log:
        "results/logs/vocabulary/{dataset}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        language=setting("language"),
        code=code_hash("scripts/vocabulary.py"),
    shell:
        "python scripts/vocabulary.py --captions {input} --language {params.language} "
        "--output {output} --log {log}"
