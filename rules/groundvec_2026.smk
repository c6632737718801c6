"""This project's own models: what papers do not show."""

RANKS = "<experiment>/ranks/{dataset}/{model}/seed{seed}.csv"


rule ranks:
    input:
        model=f"{MODEL}/model.json",
        snapshots=f"{MODEL}/snapshots",
        ensemble=f"{MODEL}/ensemble.json",
        captions=read_file("captions.csv"),
        features=features_file,
    output:
        RANKS,
    log:
        "<experiment>/logs/ranks/{dataset}/{model}/seed{seed}.log",
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        folder=subpath(input.model, parent=True),
        code=code_of("scripts/ranks.py"),
    shell:
        "python scripts/ranks.py --model {params.folder:q} --captions {input.captions:q} "
        "--features {input.features:q} --threads {threads:q} --output {output:q} --log {log:q}"


TABLES[OURS] = {
    "ablation": {
        "query_ranks": every_model(RANKS, shown_in(OURS)),
        "history": every_model(f"{MODEL}/history.csv", shown_in(OURS)),
        "predictions": [
            path
            for path in ratings_files(".predictions.csv", OURS)
            if "/baselines/" not in path
        ],
    }
}
FIGURES[OURS] = {
    "robustness": {
        "robustness": [
            *(
                ROBUSTNESS.format(
                    dataset=name, model=model, seed=DATASETS[name]["seeds"][0]
                )
                for name in shown_in(OURS)
                for model in DATASETS[name]["models"]
                if model in ROBUST
            ),
            *(
                ROBUSTNESS_OF_BASELINE.format(baseline=name)
                for name in ROBUST
                if name in RATINGS["baselines"]
            ),
        ]
    }
}
WANTED_TABLES[OURS] = ["ablation"]
WANTED_FIGURES[OURS] = ["robustness"] if ROBUST else []
BESIDE[OURS], OPTIONS[OURS] = {}, {}
