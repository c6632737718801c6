"""Merkx & Frank (2019): tables and figures of the char-GRU, and further ones on the same data."""

from collections.abc import Mapping
from typing import Any

from reproduction.papers import Experiment, Item, Paper


def has_paper_architecture(description: Mapping[str, Any]) -> bool:
    """Return whether a model has the architecture of Figure 1."""
    # Figure 1 shows characters, both directions and attention, of any cell and size.
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
    every_epoch=True,  # for the curves of Figure 4
    tables={
        "table1": Item(
            inputs=("tasks",),
            when=Experiment.rated,
            caption="""
            The tasks of the semantic evaluation (Table 1 of Merkx & Frank 2019): sentence pairs
            that are rated for similarity, by task and subtask, with the number of pairs and the
            source of the sentences.
            """,
        ),
        "table2": Item(
            inputs=("selected",),
            reported="table2",
            caption="""
            Retrieval on the test sets (Table 2 of Merkx & Frank 2019): recall at 1, 5 and 10 in
            percent, with 95% intervals, and the median rank.
            """,
        ),
        "table3": Item(
            inputs=("selected", "predictions", "ratings"),
            when=Experiment.rated,
            caption="""
            Example pairs (after Table 3 of Merkx & Frank 2019): for each subtask, the pair on
            which the selected model and the ratings agree most, and the pair on which they
            agree least. If STS is measured, the paper's own examples come first.
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
            means over subtasks.
            """,
        ),
        "section_4_3": Item(
            inputs=("selected", "predictions"),
            reported="table_s1",
            numbers=("tests",),
            when=Experiment.rated,
            verdicts=True,
            caption="""
            Number of subtasks on which one system correlates significantly better with the
            ratings than another (after section 4.3 of Merkx & Frank 2019). The file
            ``section_4_3-tests.csv`` has every single test.
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
            Retrieval on the test sets by every kept snapshot, below the ensemble of the same
            training (not in the paper): recall at 1, 5 and 10 in percent, with 95% intervals,
            and the median rank.
            """,
        ),
        "claims": Item(
            inputs=("selected", "query_ranks", "predictions"),
            when=Experiment.rated,
            verdicts=True,
            caption="""
            The claims of Merkx & Frank (2019), and whether they hold in this run.
            """,
        ),
    },
    figures={
        "figure1": Item(
            models=has_paper_architecture,
            caption="""
            The architecture (Figure 1 of Merkx & Frank 2019), with the paper's image network.
            Left, the image encoder: a pretrained network (dashed, not trained further) extracts
            image features, and a linear layer projects them. Right, the caption encoder:
            characters, their embeddings e, the states h of a bidirectional RNN, and attention,
            which weights every feature of every state. Colored parts are trained to give a
            caption and its own image a larger cosine than a caption and another image.
            """,
        ),
        "figure2": Item(
            inputs=("trained", "scores_if_all_are_rated"),
            when=Experiment.compares,
            caption="""
            Model selection (Figure 2 of Merkx & Frank 2019): the training task and, with
            ratings, the semantic measures by embedding size. A marker is the ensemble of one
            training, one seed of a model, with its 95% interval. The size is printed below,
            with the pooling if it is not attention. The training task is recall at 10 on the
            development set, mean of caption to image and image to caption in every language;
            its interval's half-width is sqrt(sum of squared half-widths) / their number.
            Semantic measures are Pearson's r × 100 with the ratings. Unsupervised tasks use
            cosine similarities, and the mean over their subtasks is weighted by pairs. Tasks
            with training pairs use a classifier's predictions.
            """,
        ),
        "figure3": Item(
            inputs=("selected", "scores"),
            reported="table_s1",
            when=Experiment.rated,
            caption="""
            The semantic evaluation (Figure 3 of Merkx & Frank 2019): Pearson's r × 100 with the
            ratings on every subtask, with Fisher's 95% interval. Predictions are cosine
            similarities, or a classifier's for tasks with training pairs. Measured systems are
            the selected ensemble of each data set, the same networks before training, and the
            baselines. Networks before training and counts of trigrams know spelling but no
            meaning. A score near theirs is little evidence of meaning.
            """,
        ),
        "figure4": Item(
            inputs=("selected", "scores_if_all_are_rated"),
            tables=("table2", "table_s1"),
            caption="""
            The training task and, with ratings, the semantic score during training (Figure 4 of
            Merkx & Frank 2019), for every kept snapshot. A panel shows one network. The
            training task is recall at 10 on the whole test set, mean of both directions. The
            semantic score is Pearson's r × 100 with the ratings, mean of the unsupervised tasks
            and of those with a classifier (without STS-B, whose pairs are from STS 2012 to
            2016). A curve is dotted over snapshots without ratings. Curves are means over the
            seeds. Epochs are on a logarithmic scale. The scores of untrained models are printed
            below the curves. The bold curve is the selected model.
            """,
        ),
    },
)
