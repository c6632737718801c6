"""Captioned pictures from every source, in one form: captions.csv and images.csv."""


def source_outputs(source):
    """Return the additional outputs of a source, by kind; those without suffix are folders."""
    outputs = parts.options_schema("sources", source).get("outputs", {})
    return {
        kind: (
            f"{DATASET}/{name}" if Path(name).suffix else directory(f"{DATASET}/{name}")
        )
        for kind, name in outputs.items()
    }


for source in sorted({data["source"] for data in DATASETS.values()}):

    rule:
        name:
            f"dataset_{source}"
        input:
            plan.source_inputs,
        output:
            **source_outputs(source),
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
