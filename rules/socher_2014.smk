"""Socher et al. (2014): the tables and figures of trees, and more of the same data."""

from groundvec.reporting import labels

# The SDT-RNNs, whose matrices are relations', of each data set that has one.
WITH_RELATIONS = {
    name: found
    for name in shown_in(SOCHER)
    if (
        found := [
            model
            for model, description in DATASETS[name]["models"].items()
            if labels.named(model, description) == "SDT-RNN"
        ]
    )
}


def english(dataset):
    """Whether a model of a data set reads English."""
    return any(
        "en" in model["languages"] for model in DATASETS[dataset]["models"].values()
    )


def of_table2(model):
    """Whether Table 2 of Socher et al. (2014) shows a model."""
    return (
        "euclidean" == model["similarity"]
        or model["objective"]["name"] == "squared_error"
    )


def of_relations(wildcards):
    """For a rule's input: the SDT-RNNs."""
    return [
        f"{MODEL}/model.json".format(dataset=name, model=model, seed=seed)
        for name, models in WITH_RELATIONS.items()
        if name == wildcards.get("dataset", name)
        for model in models
        for seed in DATASETS[name]["seeds"]
    ]


RELATIONS = {"models": of_relations}

PARSED = {"captions": read_file("captions.csv"), "treebanks": every_treebank}

TABLES[SOCHER] = {
    **{
        name: {**trained(shown_in(SOCHER)), "reported": reported(SOCHER, "tables")}
        for name in ("table1", "table2", "table3")
    },
    "claims": {
        **trained(shown_in(SOCHER)),
        "query_ranks": every_model(RANKS, shown_in(SOCHER)),
        "reported": reported(SOCHER, "tables"),
    },
    "section_6_7": {**RELATIONS, "reported": reported(SOCHER, "section_6_7")},
    "ratings": {
        "models": every_model(f"{MODEL}/model.json", rated(SOCHER)),
        "scores": ratings_files(".csv", SOCHER),
    },
}
FIGURES[SOCHER] = {"relations": RELATIONS}
BESIDE[SOCHER] = {
    "claims": [f"<experiment>/{SOCHER}/tables/claims-draws.csv"],
    "section_6_7": table(SOCHER, "section_6_7-counts"),
}
OPTIONS[SOCHER] = {}

OF_TABLE2 = [of_table2(model) for model in models(SOCHER)]
WANTED_TABLES[SOCHER] = ["table3"]
WANTED_TABLES[SOCHER] += ["table1"] if not all(OF_TABLE2) else []
WANTED_TABLES[SOCHER] += ["table2"] if any(OF_TABLE2) else []
WANTED_TABLES[SOCHER] += ["claims"] if several_models(SOCHER, 3) else []
WANTED_TABLES[SOCHER] += ["ratings"] if RATINGS else []
WANTED_TABLES[SOCHER] += [
    f"active_passive-{name}" for name in shown_in(SOCHER) if english(name)
]
WANTED_FIGURES[SOCHER] = []
if WITH_RELATIONS:
    WANTED_TABLES[SOCHER] += ["section_6_7", "section_6_7-counts"]
    WANTED_FIGURES[SOCHER] += ["relations"]
for data in WITH_RELATIONS:
    WANTED_TABLES[SOCHER] += [f"section_6_6-{data}", f"section_6_6-{data}-shares"]
    WANTED_FIGURES[SOCHER] += [f"figure3-{data}", f"samples-{data}"]


# What Socher et al. (2014) show of sentences, for each data set: the files that it is, the models,
# and what it needs beside them.
SENTENCES = {
    "figure3": (pictures(SOCHER, "figure3-{dataset}"), RELATIONS, PARSED),
    "samples": (
        pictures(SOCHER, "samples-{dataset}"),
        RELATIONS,
        {**PARSED, "images": read_file("images.csv"), "features": features_file},
    ),
    "section_6_6": (
        table(SOCHER, "section_6_6-{dataset}")
        + table(SOCHER, "section_6_6-{dataset}-shares"),
        RELATIONS,
        {**PARSED, "features": features_file},
    ),
    "active_passive": (
        table(SOCHER, "active_passive-{dataset}"),
        {"models": trained(shown_in(SOCHER))["models"]},
        {},
    ),
}

for item, (files, models_shown, needed) in SENTENCES.items():

    rule:
        name:
            f"{SOCHER}_{item}"
        input:
            ensembles(models_shown["models"]),
            **models_shown,
            **needed,
        output:
            *files,
        log:
            f"<experiment>/logs/{SOCHER}/{item}-{{dataset}}.log",
        conda:
            ENVIRONMENT
        threads: 1
        params:
            item=f"{SOCHER}/{item}",
            files=as_options,
            stem=stem,
            code=code(f"groundvec/reporting/{SOCHER}/{item}.py"),
        shell:
            "python scripts/report.py {params.item:q} {params.files:q} --output {params.stem:q} "
            "--log {log:q}"
