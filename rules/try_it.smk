"""A panel of the page in which to try the best model, in the reader's browser."""

ONNXRUNTIME = parts.load_yaml(Path(HOME, "resources/onnxruntime_web.yaml"))
TRY_IT = f"<experiment>/report/{next(iter(DATASETS))}.try_it.html"


rule onnxruntime_web:
    output:
        directory("data/onnxruntime_web"),
    log:
        "results/logs/download/onnxruntime_web.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        package=ONNXRUNTIME["package"],
    # Without npm or a network, the folder stays empty, and the panel tells how to get the package. No
    # experiment fails for that.
    shell:
        "mkdir -p {output:q} && npm pack {params.package:q} --ignore-scripts --fetch-retries 1 "
        "--pack-destination {output:q} > {log:q} 2>&1 || true"


rule try_it:
    input:
        ensembles(items.trained()["models"]),
        **items.trained(),
        captions=plan.file_of_parent("captions.csv"),
        features=plan.features_of_seeds,
        runtime="data/onnxruntime_web",
        pinned=project_file("resources/onnxruntime_web.yaml"),
    output:
        "<experiment>/report/{dataset}.try_it.html",
    log:
        "<experiment>/logs/report/{dataset}.try_it.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=gigabytes(8),
        runtime=hours(1),
    params:
        files=file_options,
        code=code(
            "scripts/try_it.py",
            *(parts.file("export/onnx", name) for name in parts.exported()),
        ),
    shell:
        'python "$GROUNDVEC/scripts/try_it.py" {params.files:q} --output {output:q} --overwrite --log {log:q}'
