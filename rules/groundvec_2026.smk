"""This project's own models: what papers do not show."""

HISTORIES = every_model(f"{MODEL}/history.csv", shown_in(OURS))

TABLES[OURS] = {
    "ablation": {
        "query_ranks": every_model(RANKS, shown_in(OURS)),
        "history": HISTORIES,
        "predictions": [
            path
            for path in ratings_files(".predictions.csv", OURS)
            if "/baselines/" not in path
        ],
    }
}
# By model: of those that several data sets have, the first one's.
of_first_seed = {
    model: ROBUSTNESS.format(dataset=name, model=model, seed=DATASETS[name]["seeds"][0])
    for name in reversed(shown_in(OURS))
    for model in DATASETS[name]["models"]
    if model in ROBUST
}
FIGURES[OURS] = {
    "learning": {"history": HISTORIES},
    "robustness": {
        "robustness": [
            *of_first_seed.values(),
            *(
                ROBUSTNESS_OF_BASELINE.format(baseline=name)
                for name in ROBUST
                if name in RATINGS["baselines"]
            ),
        ]
    },
}
WANTED_TABLES[OURS] = ["ablation"]
WANTED_FIGURES[OURS] = ["learning", *(["robustness"] if ROBUST else [])]
BESIDE[OURS], OPTIONS[OURS] = {}, {}
