"""Name what each training learned from, and measure it in the draws of a paired bootstrap."""

import numpy as np
import pandas as pd

from groundvec.evaluation.ranks import DIRECTIONS
from groundvec.results.schemas import Predictions, Tasks
from reproduction.reporting import resampled
from reproduction.reporting.measures import joint_name
from reproduction.reporting.results import Results
from reproduction.reporting.systems import named, test_to_train_of
from reproduction.schemas import Models

UNTRAINED = "nothing (untrained)"
ITSELF = "a caption with itself"  # two dropout views, as SimCSE (Gao et al. 2021)
PERMUTED = "permuted images"
LONGER = "permuted images, trained longer"
IMAGES = "images"
CAPTIONS = "captions of one image"
BOTH = "captions and images"
CONDITIONS = [UNTRAINED, ITSELF, PERMUTED, LONGER, IMAGES, CAPTIONS, BOTH]
LANGUAGE = "en"  # the language of the rated sentences, and of the captions in the recalls
MEASURES = {"caption_to_image": "R@10, images", "image_to_caption": "R@10, captions"}
# Trainings of one encoder may differ in these columns of `Models`. `network` contains the loss.
VARIED = [
    "model",
    "seed",
    "snapshots",
    "folder",
    "path",
    "network",
    "training.paraphrases",
    "training.permute_images",
]
SCHEDULE = ["training.epochs", "training.cycle"]


def conditions(models: Models) -> pd.DataFrame:
    """Name what each training learned from, by its loss and its pairs.

    Returns:
        Columns dataset, model, seed, encoder and learned_from. Trainings of one `encoder` differ
        only in these; with permuted images, also in their number of epochs. An encoder has the name
        of the model that learned from captions and images.
    """
    # The loss weights image-caption pairs by beta, and caption pairs by 1 - beta. A loss without
    # beta has image-caption pairs only.
    optional = ["objective.beta", "training.paraphrases", "training.permute_images"]
    settings = models.reindex(columns=optional)
    beta = settings["objective.beta"].fillna(1)
    with_itself = settings["training.paraphrases"].eq("itself")
    permuted = settings["training.permute_images"].eq(True)

    loss = [column for column in models if str(column).startswith("objective.")]
    fixed = models.drop(columns=[*VARIED, *SCHEDULE, *loss], errors="ignore").astype(str)
    group = fixed.apply(tuple, axis=1)
    # Permuted images may be trained longer than the others, until their loss is as small.
    schedule = models[SCHEDULE]
    shortest = schedule.groupby(group).transform("min")
    longer = permuted & schedule.ne(shortest).any(axis=1)
    schedule = schedule.where(~permuted, shortest)

    table = models[["dataset", "model", "seed"]].assign(
        learned_from=np.select(
            [longer, permuted, (beta == 0) & with_itself, beta == 0, beta == 1],
            [LONGER, PERMUTED, ITSELF, CAPTIONS, IMAGES],
            BOTH,
        ),
        group=pd.concat([fixed, schedule.astype(str)], axis=1).apply(tuple, axis=1),
    )
    order = table["learned_from"].map(CONDITIONS.index)
    by_condition = table.assign(order=order).sort_values("order", kind="stable")
    names = by_condition.groupby("group")["model"].last()
    return table.assign(encoder=table["group"].map(names)).drop(columns="group")


def measured(results: Results) -> pd.DataFrame:
    """Measure every training, its untrained network and every baseline.

    Returns:
        One row per system and measure, in the order of the measures: dataset, encoder,
        learned_from, seed, measure, draws (`resampled.recalls`) and test_to_train, which is 0 for
        ratings: seeds of a draw have the same rated pairs. The learned_from of a baseline is its
        name; it has no dataset, encoder and seed.
    """
    trainings = conditions(results.models)
    systems = named(trainings).merge(trainings)
    rated = _rated(results.predictions, results.tasks).merge(systems, "left", on="system")
    untrained = rated["kind"] == "snapshot"
    baseline = rated["kind"] == "baseline"
    rated["learned_from"] = (
        rated["learned_from"].mask(untrained, UNTRAINED).mask(baseline, rated["system"])
    )
    # Trainings of one encoder and seed share their untrained network, whatever their loss.
    keys = ["dataset", "encoder", "learned_from", "seed", "measure"]
    rated = rated.drop_duplicates(keys)
    # Without a caption's own image in the loss, images are found by chance.
    learned = trainings[trainings["learned_from"].isin([IMAGES, BOTH])]
    ranks = results.query_ranks
    chosen = ranks["kind"].eq("ensemble") & ranks["language"].eq(LANGUAGE)
    recalls = resampled.recalls(ranks[chosen & ranks["direction"].isin(DIRECTIONS)])
    recalls = recalls.assign(measure=recalls["direction"].map(MEASURES)).merge(learned)
    recalls["test_to_train"] = recalls["dataset"].map(test_to_train_of(results.models))
    table = pd.concat([rated.assign(test_to_train=0.0), recalls], ignore_index=True)
    return table[[*keys, "draws", "test_to_train"]]


def of_images(tasks: Tasks) -> Tasks:
    """Select the subtasks whose sentences describe images or videos.

    Table 1 of Merkx & Frank (2019) describes the source of the sentences.
    """
    return tasks[tasks["source"].str.contains("image|video")]


def _rated(predictions: Predictions, tasks: Tasks) -> pd.DataFrame:
    """Correlate ensembles, untrained networks and baselines with the ratings, in each draw."""
    is_rated = predictions["kind"].isin(["ensemble", "baseline"]) | predictions["epochs"].eq("0")
    predictions = predictions[is_rated]
    cosines = resampled.correlations(predictions.assign(classifier=np.nan))
    classified = resampled.correlations(predictions[predictions["classifier"].notna()])
    supervised = cosines["task"].isin(classified["task"])
    visual = of_images(tasks)
    describes_image = pd.MultiIndex.from_frame(cosines[["task", "subtask"]]).isin(
        pd.MultiIndex.from_frame(visual[["task", "subtask"]])
    )
    joint = joint_name(list(cosines["task"][~supervised].unique()))
    parts = [
        _mean(cosines[~supervised], joint),
        _mean(cosines[~supervised & describes_image], f"{joint}, of images and videos"),
        _mean(cosines[~supervised & ~describes_image], f"{joint}, other sentences"),
    ]
    for task in classified["task"].unique():
        parts.append(_mean(cosines[cosines["task"] == task], f"{task}, cosine"))
        parts.append(_mean(classified[classified["task"] == task], f"{task}, classifier"))
    return pd.concat(parts, ignore_index=True)


def _mean(correlations: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Average each system's correlations over subtasks, weighted by their pairs."""
    return resampled.averaged(correlations, resampled.RATED_KEYS, "pairs").assign(measure=measure)
