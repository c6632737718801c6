"""Merkx & Frank (2019): the tables and figures of the char-GRU, and more of the same data."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Experiment, Item, Paper


def _is_drawn(description: Mapping[str, Any]) -> bool:
    """Return whether a model has the architecture of Figure 1."""
    encoder = description["encoder"]
    return (
        description["text"]["name"] == "characters"
        and encoder.get("pooling") == "attention"
        and encoder.get("bidirectional", True)
    )


PAPER = Paper(
    name="Merkx & Frank (2019)",
    topic="Scores",
    title="Learning semantic sentence representations from visually grounded "
    "language without lexical knowledge",
    every_epoch=True,
    tables={
        "table1": Item(
            inputs=("tasks",),
            when=Experiment.rated,
            caption="""
            What the sentence embeddings are judged on (Table 1 of Merkx & Frank 2019): pairs of
            sentences that are rated for similarity, by task and subtask, with the numbers of
            pairs and where the sentences come from.
            """,
        ),
        "table2": Item(
            inputs=("selected",),
            reported="table2",
            caption="""
            Retrieval on the test sets (as Table 2 of Merkx & Frank 2019): recall at 1, 5 and 10
            in percent, with 95% intervals, and the median rank. Rows marked *measured* are the
            ensembles of this experiment, one for each model and seed; *chance* is what a random
            ranking is expected to have.
            """,
        ),
        "table3": Item(
            inputs=("selected", "predictions", "ratings"),
            when=Experiment.rated,
            caption="""
            Example pairs (after Table 3 of Merkx & Frank 2019): of each subtask the pair on
            which the selected model and the ratings agree most and the one on which they agree
            least, chosen by rule: the pairs that add most and least to Pearson's r. Where STS
            is measured, the paper's own examples stand before them.
            """,
        ),
        "table_s1": Item(
            inputs=("selected", "scores", "overlap"),
            reported="table_s1",
            more=("spearman", "models"),
            when=Experiment.rated,
            caption="""
            Correlations with ratings of similarity (the table in the supplement of Merkx &
            Frank 2019): Pearson's r × 100 with its 95% interval, for every subtask and for the
            means over subtasks. Measured are the selected ensemble, the single best snapshot of
            its training, its network before training, and the baselines. *Seen* counts the
            pairs that hold a training caption; *unseen pairs* are the others.
            """,
        ),
        "section_4_3": Item(
            inputs=("selected", "predictions"),
            reported="table_s1",
            numbers=("tests",),
            when=Experiment.rated,
            verdicts=True,
            caption="""
            On how many subtasks one system correlates significantly better with the ratings
            than another (after section 4.3 of Merkx & Frank 2019): by Williams's test at 5%,
            without and with Holm's correction, and by the other's 95% interval, as the paper
            counts. The file ``section_4_3-tests.csv`` has every single test.
            """,
        ),
        "section_4_3_4": Item(
            inputs=("selected", "scores"),
            reported="section_4_3_4",
            when=Experiment.rated,
            verdicts=True,
            caption="""
            Training task and semantic score of the selected model after epoch four, at the peak
            and after the last epoch, and the changes in percent (after section 4.3.4 of Merkx &
            Frank 2019).
            """,
        ),
        "snapshots": Item(
            inputs=("trained",),
            caption="""
            Retrieval on the test sets by every kept snapshot (not in the paper), below the
            ensemble of the same training: recall at 1, 5 and 10 in percent, with 95% intervals,
            and the median rank.
            """,
        ),
        "claims": Item(
            inputs=("selected", "query_ranks", "predictions"),
            when=Experiment.rated,
            caption="""
            What Merkx & Frank (2019) claim of their models, and whether it holds in this run.
            """,
        ),
    },
    figures={
        "figure1": Item(
            options=("backbone", "crops"),
            models=_is_drawn,
            caption="""
            The architecture (Figure 1 of Merkx & Frank 2019). Left, the image encoder: a
            network trained beforehand (dashed, not trained further) describes a picture, and a
            linear layer projects the features. Right, the caption encoder:
            characters, their embeddings e, the states h of a bidirectional RNN, and attention,
            which weighs every feature of every state. Coloured parts are trained, so that the
            cosine of a caption and its own picture is larger than that of others.
            """,
        ),
        "figure2": Item(
            inputs=("trained", "scores_if_all_are_rated"),
            when=Experiment.compares,
            caption="""
            Model selection (Figure 2 of Merkx & Frank 2019): the training task and, where there
            are ratings, the semantic measures by embedding size. A marker is the ensemble of
            one training, one seed of a model, with its 95% interval. Below it is the size;
            another pooling than attention is named before it. The training task is recall at 10
            on the development set, the mean of caption to image and image to caption; its
            interval is sqrt(a² + b²) / 2 for the intervals ± a and ± b of the directions.
            Semantic measures are Pearson's r × 100 with the ratings: of unsupervised tasks the
            mean over the subtasks, weighted by their pairs, of the r of cosine similarities; of
            tasks with training pairs the r of a classifier's predictions.
            """,
        ),
        "figure3": Item(
            inputs=("selected", "scores"),
            reported="table_s1",
            when=Experiment.rated,
            caption="""
            The semantic evaluation (Figure 3 of Merkx & Frank 2019): Pearson's r × 100 with the
            ratings on every subtask, with Fisher's 95% interval. Predictions are cosine
            similarities, or a classifier's for tasks with training pairs. Measured are the
            selected ensemble of each data set, the same networks before training, and the
            baselines. Floors, such as networks before training, know spelling but no meaning: a
            score near them tells little about meaning.
            """,
        ),
        "figure4": Item(
            inputs=("selected", "scores_if_all_are_rated"),
            tables=("table2", "table_s1"),
            caption="""
            The training task and, where there are ratings, the semantic score during training
            (Figure 4 of Merkx & Frank 2019), for every kept snapshot; a panel shows one
            network. The training task is recall at 10 on the test set (of several, the whole
            one), mean of both directions. The semantic score is Pearson's r × 100 with the
            ratings, the mean of the unsupervised tasks and those with a classifier (without
            STS-B, whose pairs are STS 2012 to 2016's); a curve is dotted where snapshots were
            not rated. Curves are means of the seeds. The number of epochs is on a logarithmic
            scale; the scores of the untrained models stand below the curves. The bold curve is
            the selected model.
            """,
        ),
        "samples": Item(
            inputs=("selected", "captions", "images", "features"),
            per_dataset=True,
            caption="""
            What the selected model's ensemble retrieves on the test set, for a few random
            captions and a few random images: the five best with their ranks, and behind them
            the first right one where it is not among them. What is right is green with a tick,
            a picture also framed.
            """,
        ),
    },
)
