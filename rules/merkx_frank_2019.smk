"""Merkx & Frank (2019): the tables and figures of the char-GRU, and more of the same data."""

# The rated sentences are English: tables and figures of ratings need models that all read it.
IN_ENGLISH = all("en" in model["languages"] for model in models(MERKX))
SCORES = ratings_files(".csv", MERKX) if IN_ENGLISH else []
PREDICTIONS = ratings_files(".predictions.csv", MERKX) if IN_ENGLISH else []
TRAINED = trained(shown_in(MERKX))
# Where the ratings select the models, all that shows selected ones needs their scores.
SELECTED = {
    **TRAINED,
    **({"scores": SCORES} if config["select"] == "ratings" else {}),
}

TABLES[MERKX] = {
    "table1": {"tasks": RATED_TASKS},
    "table2": {**SELECTED, "reported": reported(MERKX, "table2")},
    "table3": {**SELECTED, "predictions": PREDICTIONS, "ratings": RATED},
    "table_s1": {
        **SELECTED,
        "scores": SCORES,
        "overlap": every_model(OVERLAP, rated(MERKX), "en"),
        "reported": reported(MERKX, "table_s1"),
    },
    "section_4_1": {**SELECTED, "scores": SCORES, "predictions": PREDICTIONS},
    "section_4_3": {
        **SELECTED,
        "predictions": PREDICTIONS,
        "reported": reported(MERKX, "table_s1"),
    },
    "section_4_3_4": {
        **SELECTED,
        "scores": SCORES,
        "reported": reported(MERKX, "section_4_3_4"),
    },
    "snapshots": TRAINED,
    "claims": {
        **SELECTED,
        "query_ranks": every_model(RANKS, shown_in(MERKX)),
        "predictions": PREDICTIONS,
    },
}
FIGURES[MERKX] = {
    "figure1": {},
    "figure2": {**TRAINED, "scores": SCORES},
    "figure3": {
        **SELECTED,
        "scores": SCORES,
        "reported": reported(MERKX, "table_s1"),
    },
    "figure4": {
        **TRAINED,
        "scores": SCORES,
        "tables": [
            f"<experiment>/{MERKX}/tables/{name}.csv"
            for name in ["table2", *(["table_s1"] if SCORES else [])]
        ],
    },
    "agreement": {**SELECTED, "predictions": PREDICTIONS},
}
BESIDE[MERKX] = {
    "table_s1": [
        *table(MERKX, "table_s1-spearman"),
        *table(MERKX, "table_s1-models"),
    ],
    "section_4_3": [f"<experiment>/{MERKX}/tables/section_4_3-tests.csv"],
}
OPTIONS[MERKX] = {
    item: {"select": config["select"]} for item in (*TABLES[MERKX], *FIGURES[MERKX])
}
for key in ("backbone", "crops"):
    OPTIONS[MERKX]["figure1"][key] = DATASETS[shown_in(MERKX)[0]][key]
if "subtask" in RATINGS:
    OPTIONS[MERKX]["agreement"]["subtask"] = RATINGS["subtask"]

WANTED_TABLES[MERKX] = ["table2", "snapshots"]
WANTED_FIGURES[MERKX] = ["figure1", "figure4"]
WANTED_FIGURES[MERKX] += [f"samples-{name}" for name in shown_in(MERKX)]
WANTED_FIGURES[MERKX] += ["figure2"] if several_models(MERKX) else []
if SCORES:
    WANTED_TABLES[MERKX] += ["table1", "table3", "section_4_3", "section_4_3_4"]
    WANTED_TABLES[MERKX] += ["claims"]
    WANTED_TABLES[MERKX] += ["table_s1", "table_s1-models", "table_s1-spearman"]
    WANTED_TABLES[MERKX] += ["section_4_1"] if several_models(MERKX) else []
    WANTED_FIGURES[MERKX] += ["figure3", "agreement"]


rule:
    name:
        f"{MERKX}_samples"
    input:
        ensembles(TRAINED["models"]),
        **SELECTED,
        captions=read_file("captions.csv"),
        images=read_file("images.csv"),
        features=features_file,
    output:
        *pictures(MERKX, "samples-{dataset}"),
    log:
        f"<experiment>/logs/{MERKX}/samples-{{dataset}}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        item=f"{MERKX}/samples",
        files=as_options,
        options=options({"select": config["select"]}),
        stem=stem,
        code=code(f"groundvec/reporting/{MERKX}/samples.py"),
    shell:
        "python scripts/report.py {params.item:q} {params.files:q} {params.options:q} "
        "--output {params.stem:q} --log {log:q}"
