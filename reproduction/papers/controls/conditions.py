"""What each training learned from, and its scores in the draws of a paired bootstrap."""

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import Models, Predictions, QueryRanks, Tasks
from reproduction.reporting import resampled
from reproduction.reporting.measures import joint_name
from reproduction.reporting.systems import named

UNTRAINED = "nothing (untrained)"
CAPTIONS = "captions alone"
IMAGES = "images alone"
BOTH = "captions and images"
CONDITIONS = [UNTRAINED, CAPTIONS, IMAGES, BOTH]
LANGUAGE = "en"  # of the rated sentences, and of the captions in the recalls
WAYS = {"caption_to_image": "R@10, images", "image_to_caption": "R@10, captions"}
# Columns of `Models` in which trainings of one encoder differ; `network` names the loss too.
VARIED = ["model", "seed", "snapshots", "folder", "network", "training.paraphrases"]


def conditions(models: Models) -> pd.DataFrame:
    """Name what each training learned from, by the weight `beta` of its loss.

    Returns:
        Columns dataset, model, seed, encoder and learned_from. Trainings of one `encoder` differ in
        their loss alone; it is named after the model that learned from captions and images.
    """
    beta = models.reindex(columns=["objective.beta"])["objective.beta"].fillna(1)
    loss = [column for column in models if str(column).startswith("objective.")]
    fixed = models.drop(columns=[*VARIED, *loss], errors="ignore").astype(str)
    table = models[["dataset", "model", "seed"]].assign(
        learned_from=np.select([beta == 0, beta == 1], [CAPTIONS, IMAGES], BOTH),
        group=fixed.apply(tuple, axis=1),
    )
    last = table["learned_from"].map(CONDITIONS.index)
    names = table.assign(order=last).sort_values("order", kind="stable").groupby("group")["model"]
    return table.assign(encoder=table["group"].map(names.last())).drop(columns="group")


def measured(
    models: Models, predictions: Predictions, tasks: Tasks, ranks: QueryRanks
) -> pd.DataFrame:
    """Measure every training, its untrained network and every baseline.

    Returns:
        A row for each system and measure, in the order of the measures: dataset, encoder,
        learned_from, seed, measure and draws (`resampled.recalls`). A baseline has its name as
        learned_from, and no dataset, encoder and seed.
    """
    trainings = conditions(models)
    systems = named(trainings).merge(trainings)
    rated = _rated(predictions, tasks).merge(systems, "left", on="system")
    untrained = rated["kind"] == "snapshot"
    baseline = rated["kind"] == "baseline"
    rated["learned_from"] = (
        rated["learned_from"].mask(untrained, UNTRAINED).mask(baseline, rated["system"])
    )
    # Untrained networks of one encoder and seed are the same, whatever they would learn from.
    keys = ["dataset", "encoder", "learned_from", "seed", "measure"]
    rated = rated.drop_duplicates(keys)
    learned = trainings[trainings["learned_from"].isin([IMAGES, BOTH])]
    chosen = ranks["kind"].eq("ensemble") & ranks["language"].eq(LANGUAGE)
    recalls = resampled.recalls(ranks[chosen & ranks["direction"].isin(DIRECTIONS)])
    recalls = recalls.assign(measure=recalls["direction"].map(WAYS)).merge(learned)
    return pd.concat([rated, recalls])[[*keys, "draws"]].reset_index(drop=True)


def _rated(predictions: Predictions, tasks: Tasks) -> pd.DataFrame:
    """Correlate ensembles, untrained networks and baselines with the ratings, in draws."""
    kept = predictions["kind"].isin(["ensemble", "baseline"]) | predictions["epochs"].eq("0")
    predictions = predictions[kept]
    cosines = resampled.correlations(predictions.assign(classifier=np.nan))
    classified = resampled.correlations(predictions[predictions["classifier"].notna()])
    supervised = cosines["task"].isin(classified["task"])
    # The tasks' own words for where their sentences come from (Merkx & Frank 2019, Table 1).
    visual = tasks[tasks["source"].str.contains("image|video")]
    shown = pd.MultiIndex.from_frame(cosines[["task", "subtask"]]).isin(
        pd.MultiIndex.from_frame(visual[["task", "subtask"]])
    )
    joint = joint_name(list(cosines["task"][~supervised].unique()))
    parts = [
        _mean(cosines[~supervised], joint),
        _mean(cosines[~supervised & shown], f"{joint}, of images and videos"),
        _mean(cosines[~supervised & ~shown], f"{joint}, other sentences"),
    ]
    for task in classified["task"].unique():
        parts.append(_mean(cosines[cosines["task"] == task], f"{task}, cosine"))
        parts.append(_mean(classified[classified["task"] == task], f"{task}, classifier"))
    return pd.concat(parts, ignore_index=True)


def _mean(correlations: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Average each system's correlations over subtasks, weighted by their pairs."""
    return resampled.averaged(correlations, resampled.SYSTEM, "pairs").assign(measure=measure)
