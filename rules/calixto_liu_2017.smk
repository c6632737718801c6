"""Calixto & Liu (2017): the tables of several languages, and of re-ranked translations."""

TRAINED = trained(shown_in(CALIXTO))
LANGUAGES = [model["languages"] for model in models(CALIXTO)]
SEVERAL = [len(languages) > 1 for languages in LANGUAGES]

TABLES[CALIXTO] = {
    "table1": {**TRAINED, "reported": reported(CALIXTO, "table1")},
    "cross_lingual": TRAINED,
    "table2": {
        "models": TRAINED["models"],
        "scores": ratings_files(".csv", CALIXTO),
        "predictions": ratings_files(".predictions.csv", CALIXTO),
        "reported": reported(CALIXTO, "table2"),
    },
}
WANTED_TABLES[CALIXTO] = ["table1"]
WANTED_TABLES[CALIXTO] += ["cross_lingual"] if any(SEVERAL) else []
WANTED_TABLES[CALIXTO] += (
    ["table2"] if RATINGS and any("en" in known for known in LANGUAGES) else []
)
FIGURES[CALIXTO], WANTED_FIGURES[CALIXTO] = {}, []
BESIDE[CALIXTO], OPTIONS[CALIXTO] = {}, {}

if "translation" in config and RERANK_BY:
    MODELS_SEEING = [f"{folder}/model.json" for folder in RERANK_BY]
    # The shortest lists are Table 3's, longer ones Table 4's.
    SHORTEST, *LONGER = sorted(TRANSLATION["n_best"])
    LENGTHS = {"table3": [SHORTEST], "table4": LONGER}
    for item, lengths in LENGTHS.items():
        TABLES[CALIXTO][item] = {
            "models": MODELS_SEEING,
            "reranked": expand(RERANKED, system=TRANSLATION["systems"], n=lengths),
            "reported": reported(CALIXTO, "tables_3_4"),
        }
        WANTED_TABLES[CALIXTO] += [item] if lengths else []
    WANTED_FIGURES[CALIXTO] += [
        f"translations-{system}" for system in TRANSLATION["systems"]
    ]

    rule:
        name:
            f"{CALIXTO}_translations"
        input:
            models=MODELS_SEEING,
            translations=f"{SYSTEM}/translations.{SHORTEST}.csv",
            images=f"results/datasets/{PICTURED}/images.csv",
        output:
            *pictures(CALIXTO, "translations-{system}"),
        log:
            f"<experiment>/logs/{CALIXTO}/translations-{{system}}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            item=f"{CALIXTO}/translations",
            files=as_options,
            stem=stem,
            code=code(f"groundvec/reporting/{CALIXTO}/translations.py"),
        shell:
            "python scripts/report.py {params.item:q} {params.files:q} --output {params.stem:q} "
            "--log {log:q}"


def comparable(dataset):
    """Whether models of one language and of several read the same text, such as words."""
    read = {True: set(), False: set()}
    for model in DATASETS[dataset]["models"].values():
        read[len(model["languages"]) > 1].add(model["text"]["name"])
    return read[True] & read[False]


if "table3" in WANTED_TABLES[CALIXTO] or any(map(comparable, shown_in(CALIXTO))):
    COMPARED = [name for name in WANTED_TABLES[CALIXTO] if name.startswith("table")]
    TABLES[CALIXTO]["claims"] = {
        "tables": [f"<experiment>/{CALIXTO}/tables/{name}.csv" for name in COMPARED],
        "query_ranks": every_model(RANKS, shown_in(CALIXTO)),
        "predictions": TABLES[CALIXTO]["table2"]["predictions"],
    }
    WANTED_TABLES[CALIXTO] += ["claims"]
