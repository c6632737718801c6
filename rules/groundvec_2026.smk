"""This project's own models: what papers do not show."""

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
WANTED_FIGURES[OURS] = ["robustness"] if ROBUST else []
TABLES[OURS], WANTED_TABLES[OURS], BESIDE[OURS], OPTIONS[OURS] = {}, [], {}, {}
