"""Captioned pictures from every source, in one form: captions.csv and images.csv."""

for source in sorted({data["source"] for data in DATASETS.values()}):

    rule:
        name:
            f"dataset_{source}"
        input:
            plan.source_inputs,
        output:
            **{
                kind: path if Path(path).suffix else directory(path)
                for kind, path in plan.source_outputs(source).items()
            },
            captions=f"{DATASET}/captions.csv",
            images=f"{DATASET}/images.csv",
        log:
            "results/logs/dataset/{dataset}.log",
        wildcard_constraints:
            dataset=any_of(
                name for name, data in DATASETS.items() if data["source"] == source
            ),
        localrule: True
        conda:
            ENVIRONMENT
        params:
            folder=subpath(output.captions, parent=True),
            options=plan.source_options,
            # If the folder of a user's images were an input, any new file in it would run the rule, and a
            # changed image would not.
            pictures=lambda wildcards: sources.state(DATASETS[wildcards.dataset]),
            code=lambda wildcards: code_hash(
                *(
                    parts.file("sources", settings["source"])
                    for settings, _ in plan.sources_of(wildcards).values()
                ),
                "reproduction/sources/__init__.py",
                "groundvec/data/dataset.py",
            ),
        # Snakemake fills this in when a job starts, after the loop: its variable has another value.
        shell:
            'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} {params.options:q} '
            "--output {params.folder:q}"
