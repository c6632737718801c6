"""Captioned pictures from every source, brought to one form: captions.csv and images.csv."""


rule dataset_scenes:
    output:
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
        facts=f"{DATASET}/scenes.jsonl",
        parallel=f"{DATASET}/parallel.csv",
        pictures=directory(f"{DATASET}/images"),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=plan.datasets_from("scenes"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        pictures=plan.setting("count"),
        seed=plan.setting("seed"),
        code=code(
            "groundvec/scenes/__init__.py",
            "groundvec/scenes/parallel.py",
            "groundvec/data/schema.py",
        ),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} scenes --count {params.pictures:q} '
        "--seed {params.seed:q} --output {params.folder:q}"


rule dataset_flickr8k:
    input:
        pictures="data/flickr8k/Flicker8k_Dataset",
        text="data/flickr8k/Flickr8k_text.zip",
    output:
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=plan.datasets_from("flickr8k"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        code=code("groundvec/data/flickr8k.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} flickr8k --images {input.pictures:q} '
        "--text {input.text:q} --output {params.folder:q}"


rule dataset_mscoco:
    input:
        train="data/mscoco/train2014",
        val="data/mscoco/val2014",
        captions="data/mscoco/caption_datasets",
    output:
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=plan.datasets_from("mscoco"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        code=code("groundvec/data/karpathy.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} karpathy --images data/mscoco '
        "--json {input.captions:q}/dataset_coco.json --output {params.folder:q}"


rule dataset_karpathy:
    input:
        plan.karpathy_file,
    output:
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=plan.datasets_from("karpathy"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        settings=plan.karpathy_options,
        code=code("groundvec/data/karpathy.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} karpathy {params.settings:q} '
        "--output {params.folder:q}"


rule dataset_pascal1k:
    input:
        pictures="data/pascal1k/images",
        page="data/pascal1k/index.html",
    output:
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=plan.datasets_from("pascal1k"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        seed=plan.setting("seed"),
        code=code("groundvec/data/pascal1k.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} pascal1k --images {input.pictures:q} '
        "--page {input.page:q} --seed {params.seed:q} --output {params.folder:q}"


rule dataset_multi30k:
    input:
        archive="data/multi30k/multi30k.zip",
        flickr8k=plan.multi30k_flickr8k,
    output:
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
        parallel=f"{DATASET}/parallel.csv",
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=plan.datasets_from("multi30k"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        pictures=plan.multi30k_pictures,
        code=code(
            "groundvec/data/multi30k.py",
            "groundvec/data/parallel.py",
            "groundvec/data/schema.py",
        ),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} multi30k --archive {input.archive:q} '
        "{params.pictures:q} --output {params.folder:q}"


rule dataset_table:
    input:
        table=plan.setting("table"),
    output:
        captions=f"{DATASET}/captions.csv",
        images=f"{DATASET}/images.csv",
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=plan.datasets_from("table"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        # The folder is no input: any file in it would count, and a picture within would not.
        images=plan.setting("images"),
        pictures=plan.pictures_state,
        code=code("groundvec/data/table.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} table --table {input.table:q} '
        "--images {params.images:q} --output {params.folder:q}"
