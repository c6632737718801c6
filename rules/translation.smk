"""Translators, their lists of translations, and re-ranking of these by models that see images."""

TRANSLATION = plan.translation
PAIRS = f"results/datasets/{plan.parent(TRANSLATION['dataset'])}/parallel.csv"


wildcard_constraints:
    system="|".join(TRANSLATION["systems"]),
    n=r"\d+",


rule translator:
    input:
        pairs=PAIRS,
    output:
        multiext(
            f"{SYSTEM}/model/",
            model="model.json",
            weights="weights.safetensors",
            history="history.csv",
        ),
    log:
        "<experiment>/logs/translation/{system}/translator.log",
    benchmark:
        "<experiment>/benchmarks/translation/{system}/translator.tsv"
    conda:
        ENVIRONMENT
    resources:
        gpu=GPU,
        mem_mb=gigabytes(8),
        # A training that takes longer than the limit resumes in the next attempt.
        runtime=RESUMED,
    params:
        folder=subpath(output.model, parent=True),
        languages=["--source", TRANSLATION["source"], "--target", TRANSLATION["target"]],
        settings=lambda wildcards: as_json(TRANSLATION["systems"][wildcards.system]),
        code=code("scripts/translator.py"),
    shell:
        # Checkpoints are no output: Snakemake would delete them before the next attempt.
        'python "$GROUNDVEC/scripts/translator.py" --name {wildcards.system:q} --pairs {input.pairs:q} '
        "{params.languages:q} --settings {params.settings:q} --threads {threads:q} "
        "--work results/checkpoints --output {params.folder:q} --overwrite --log {log:q}"


rule translate:
    input:
        model=f"{SYSTEM}/model/model.json",
        weights=f"{SYSTEM}/model/weights.safetensors",
        pairs=PAIRS,
    output:
        f"{SYSTEM}/{{split}}.{{n}}.nbest.gz",
    log:
        "<experiment>/logs/translation/{system}/{split}.{n}.log",
    wildcard_constraints:
        split="dev|test",
    conda:
        ENVIRONMENT
    resources:
        gpu=GPU,
        mem_mb=gigabytes(4),
        runtime=hours(2),
    params:
        folder=subpath(input.model, parent=True),
        code=code("scripts/translate.py"),
    shell:
        'python "$GROUNDVEC/scripts/translate.py" --model {params.folder:q} --pairs {input.pairs:q} '
        "--split {wildcards.split:q} --n {wildcards.n:q} --threads {threads:q} "
        "--output {output:q} --overwrite --log {log:q}"


rule rerank:
    input:
        dev=f"{SYSTEM}/dev.{{n}}.nbest.gz",
        test=f"{SYSTEM}/test.{{n}}.nbest.gz",
        pairs=PAIRS,
        features=plan.translated_features,
        models=[f"{folder}/model.json" for folder in plan.rerankers],
        ensembles=[f"{folder}/ensemble.json" for folder in plan.rerankers],
        snapshots=[f"{folder}/snapshots" for folder in plan.rerankers],
    output:
        scores=RERANKED,
        translations=f"{SYSTEM}/translations.{{n}}.csv",
        weights=f"{SYSTEM}/weights.{{n}}.csv",
    log:
        "<experiment>/logs/translation/{system}/rerank.{n}.log",
    conda:
        ENVIRONMENT
    resources:
        gpu=GPU,
        mem_mb=gigabytes(8),
        runtime=hours(2),
    params:
        folders=lambda wildcards, input: [
            os.path.dirname(path) for path in input.models
        ],
        languages=["--source", TRANSLATION["source"], "--target", TRANSLATION["target"]],
        code=code("scripts/rerank.py"),
    shell:
        'python "$GROUNDVEC/scripts/rerank.py" --system {wildcards.system:q} --n {wildcards.n:q} '
        "--dev {input.dev:q} --test {input.test:q} --pairs {input.pairs:q} {params.languages:q} "
        "--features {input.features:q} --models {params.folders:q} --threads {threads:q} "
        "--output {output.scores:q} --output-translations {output.translations:q} "
        "--output-weights {output.weights:q} --overwrite --log {log:q}"
