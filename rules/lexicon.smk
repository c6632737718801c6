"""The lexicon by which a search understands words that no caption has."""


rule lexicon:
    input:
        captions=f"{DATASET}/captions.csv",
        wordnet="data/wordnet/wordnet",
        names=[
            project_file(f"reproduction/lexicon/classes.{language}.toml")
            for language in ("en", "de")
        ],
    output:
        "results/lexicon/{dataset}.safetensors",
    log:
        "results/logs/lexicon/{dataset}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        code=code("scripts/lexicon.py"),
    shell:
        'python "$GROUNDVEC/scripts/lexicon.py" --captions {input.captions:q} --wordnet {input.wordnet:q} '
        "--output {output:q} --overwrite --log {log:q}"
