"""A panel of the page in which to try the best model: it runs in the reader's browser."""

ONNXRUNTIME = yaml.safe_load(open(f"{workflow.basedir}/resources/onnxruntime_web.yaml"))


rule onnxruntime_web:
    output:
        directory("data/onnxruntime_web"),
    log:
        "results/logs/download/onnxruntime_web.log",
    localrule: True
    params:
        package=ONNXRUNTIME["package"],
    # No experiment fails without it: the panel then says how to get it.
    shell:
        "mkdir -p {output:q} && cd {output:q} && "
        "npm pack {params.package:q} --ignore-scripts > \"$OLDPWD\"/{log:q} 2>&1 || true"


rule try_it:
    input:
        models=every_model(f"{MODEL}/model.json", TRIED),
    output:
        "x"
