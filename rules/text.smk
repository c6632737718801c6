"""What each text learns from the training captions: the characters, or the words."""


rule text:
    input:
        dataset_file("captions.csv"),
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
        text=lambda wildcards: json.dumps(TEXTS[wildcards.text], sort_keys=True),
        code=lambda wildcards: code_hash(
            "scripts/text.py", f"groundvec/text/{TEXTS[wildcards.text]['name']}.py"
        ),
    shell:
        "python scripts/text.py --text {params.text:q} --captions {input:q} "
        "--language {wildcards.language:q} --output {output:q} --log {log:q}"
