"""Captioned pictures from every source, brought to one form: captions.csv and images.csv."""


rule dataset_scenes:
    output:
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
        facts=dataset_file("scenes.jsonl"),
        parallel=dataset_file("parallel.csv"),
        pictures=directory(dataset_file("images")),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=names("scenes"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        pictures=setting("count"),
        seed=setting("seed"),
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
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=names("flickr8k"),
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
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=names("mscoco"),
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
        karpathy_file,
    output:
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=names("karpathy"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        settings=karpathy_options,
        code=code("groundvec/data/karpathy.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} karpathy {params.settings:q} '
        "--output {params.folder:q}"


rule dataset_pascal1k:
    input:
        pictures="data/pascal1k/images",
        page="data/pascal1k/index.html",
    output:
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=names("pascal1k"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        seed=setting("seed"),
        code=code("groundvec/data/pascal1k.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} pascal1k --images {input.pictures:q} '
        "--page {input.page:q} --seed {params.seed:q} --output {params.folder:q}"


rule dataset_multi30k:
    input:
        archive="data/multi30k/multi30k.zip",
        flickr8k=multi30k_flickr8k,
    output:
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
        parallel=dataset_file("parallel.csv"),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=names("multi30k"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        pictures=multi30k_pictures,
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
        table=setting("table"),
    output:
        captions=dataset_file("captions.csv"),
        images=dataset_file("images.csv"),
    log:
        "results/logs/dataset/{dataset}.log",
    wildcard_constraints:
        dataset=names("table"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output.captions, parent=True),
        # The folder is no input: any file in it would count, and a picture within would not.
        images=setting("images"),
        pictures=pictures_state,
        code=code("groundvec/data/table.py", "groundvec/data/schema.py"),
    shell:
        'python "$GROUNDVEC/scripts/dataset.py" --log {log:q} table --table {input.table:q} '
        "--images {params.images:q} --output {params.folder:q}"
