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
FIGURES[OURS] = {
    "learning": {"history": HISTORIES},
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
    },
}
WANTED_TABLES[OURS] = ["ablation"]
WANTED_FIGURES[OURS] = ["learning", *(["robustness"] if ROBUST else [])]
BESIDE[OURS], OPTIONS[OURS] = {}, {}
