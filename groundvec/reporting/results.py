"""The result files that tables and figures are made of, read and checked."""

from collections.abc import Iterable
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from groundvec.data import ratings
from groundvec.data.schema import SPLITS
from groundvec.errors import InputError
from groundvec.evaluation.overlap import SEEN
from groundvec.evaluation.retrieval import CUTOFFS, DIRECTIONS
from groundvec.files import read_json
from groundvec.reporting import labels, systems
from groundvec.reporting.measures import semantic_measures
from groundvec.reporting.systems import PROVENANCE

MEASURES = [*(f"r{k}{suffix}" for k in CUTOFFS for suffix in ("", "_ci")), "median_rank"]
KEYS = ["dataset", "model", "seed", "language", "kind", "epochs"]
KEYS += ["split", "test_set", "direction"]
TRAINED = ["dataset", "model", "seed", "epochs"]  # what a baseline does not have
CORRELATIONS = [f"{r}{end}" for r in ("pearson", "spearman") for end in ("", "_low", "_high")]
UNSEEN_CORRELATIONS = [f"unseen_{name}" for name in CORRELATIONS]
REPORTED_CORRELATIONS = {
    "bow": "BOW",
    "infersent": "InferSent",
    "char_gru_flickr8k": "char-GRU Flickr8k",
    "char_gru_mscoco": "char-GRU MSCOCO",
}
REPORTED_TASKS = {
    "sentence_similarity": "caption_to_caption",
    "image_search": "caption_to_image",
    "describing": "image_to_caption",
}
REPORTED_LOSSES = {"max_margin": labels.MARGIN, "squared_error": labels.SQUARED}
REPORTED_CCA = {
    "max_margin": "CCA, inner product",
    "squared_error": "CCA, Euclidean distance",
}


class Results:
    """What a table or figure is made of; each kind of file is read when it is first asked for.

    Args:
        select: which model of a data set is selected, see `systems.select`.
        given: the other arguments of scripts/report.py: paths of result files, by their kind.

    Raises:
        InputError (by every attribute): nothing was given of this kind, or a file is not whole.
    """

    def __init__(self, select: str = "recall", **given: Any) -> None:
        self.select, self.given = select, given

    def __getitem__(self, kind: str) -> Any:
        """What was given of a kind."""
        if not self.given.get(kind):
            raise InputError(f"this table or figure needs --{kind.replace('_', '-')}: give it too")
        return self.given[kind]

    @cached_property
    def models(self) -> pd.DataFrame:
        """As `read_models` gives them."""
        return read_models(self["models"])

    @cached_property
    def retrieval(self) -> pd.DataFrame:
        """As `read_retrieval` gives it."""
        return read_retrieval(self["retrieval"])

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """As `read_retrieval` gives everything."""
        return read_retrieval(self["retrieval"], everything=True)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """As `read_scores` gives them."""
        return read_scores(self["scores"])

    @cached_property
    def overlap(self) -> pd.DataFrame:
        """As `read_overlap` gives it."""
        return read_overlap(self["overlap"])

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """As `read_predictions` gives them."""
        return read_predictions(self["predictions"])

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """As `groundvec.data.ratings.read_ratings` gives them."""
        return ratings.read_ratings(self["ratings"])

    @cached_property
    def reranked(self) -> pd.DataFrame:
        """As `read_reranked` gives them."""
        return read_reranked(self["reranked"])

    @cached_property
    def robustness(self) -> pd.DataFrame:
        """As `read_robustness` gives it."""
        return read_robustness(self["robustness"])

    @cached_property
    def query_ranks(self) -> pd.DataFrame:
        """As `read_query_ranks` gives them."""
        return read_query_ranks(self["query_ranks"])

    @cached_property
    def history(self) -> pd.DataFrame:
        """As `read_history` gives it."""
        return read_history(self["history"])

    @cached_property
    def tasks(self) -> pd.DataFrame:
        """As `read_tasks` gives them."""
        return read_tasks(self["tasks"])

    @cached_property
    def measures(self) -> pd.DataFrame | None:
        """The `semantic_measures` of the scores; None if no scores were given."""
        return semantic_measures(self.scores) if self.given.get("scores") else None

    @cached_property
    def selected(self) -> dict[str, tuple[str, int]]:
        """As `systems.select` gives it."""
        measures = semantic_measures(self.scores) if self.select == "ratings" else None
        return systems.select(self.retrieval, measures, self.select)

    @cached_property
    def best_snapshots(self) -> dict[str, int]:
        """For each data set `systems.best_snapshot` of the selected training."""
        return {
            dataset: systems.best_snapshot(systems.described(self.models, dataset, *training))
            for dataset, training in self.selected.items()
        }


def read_models(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read what models are made of, one model.json for each data set, model and seed.

    Returns:
        A row a file, in the order of `systems.ordered` and with its columns; the others are
        dataset, data_source (where it is from; its name if model.json says nothing), model, seed,
        test_to_train (where each seed draws its images: the number of test images by that of
        training images; else 0), snapshots (a list of the epochs that end a cycle), folder, and the
        description flattened, such as `encoder.name`, NaN where a model has no such part.

    Raises:
        InputError: a file that does not describe a model, or two about the same one.
    """
    needed = {"dataset", "model", "seed", "snapshots", "description"}
    tables = []
    for path in map(Path, paths):
        about = read_json(path)
        whole = isinstance(about, dict) and needed <= about.keys()
        if not (whole and isinstance(about["description"], dict) and _is_draw(about.get("draw"))):
            raise InputError(f"{path} does not describe a trained model: train it again")
        table = pd.json_normalize(about["description"])
        table = table.drop(columns=[*needed, "folder", "path"], errors="ignore")
        if "encoder.name" not in table:
            raise InputError(f"{path} does not say what the encoder is: train the model again")
        names = {key: about[key] for key in ("dataset", "model", "seed")}
        source = about.get("source", about["dataset"])
        train, _, test = about.get("draw") or (1, 0, 0)
        names |= {"data_source": source, "test_to_train": test / train}
        table = table.assign(**names, folder=str(path.parent), path=str(path))
        tables.append(table.assign(snapshots=[about["snapshots"]]))
    models = pd.concat(tables, ignore_index=True)
    _check_once(models, ["dataset", "model", "seed"])
    return systems.ordered(models.drop(columns="path"))


def _is_draw(counts: Any) -> bool:
    """Whether these are numbers of images of the three splits, or there are none."""
    if counts is None:
        return True
    counted = isinstance(counts, list) and len(counts) == len(SPLITS)
    return counted and all(type(count) is int and count > 0 for count in counts)


def read_retrieval(paths: Iterable[str | Path], everything: bool = False) -> pd.DataFrame:
    """Read measured retrieval scores, one file for each data set, model and seed.

    Args:
        everything: also what is not between captions and images, and simulated chance; then mean
            ranks have intervals too.

    Returns:
        The rows of the files. The epochs of chance are empty texts.

    Raises:
        InputError: a file that is not whole, or two about the same model.
    """
    tables = []
    numbers = ["seed", "queries", "mean_rank", *MEASURES]
    numbers += ["mean_rank_low", "mean_rank_high"] if everything else []
    for path in map(Path, paths):
        table = read_csv(path, [*KEYS, *PROVENANCE], numbers, optional=["epochs", *PROVENANCE])
        _check_filled(path, table[~table["kind"].isin(["chance", "random"])], ["epochs"])
        table = table.fillna({"epochs": ""})
        ensembles = table[table["kind"] == "ensemble"]
        there = set(zip(ensembles["split"], ensembles["direction"], strict=True))
        for split, direction in product(("dev", "test"), DIRECTIONS):
            if (split, direction) not in there:
                raise InputError(
                    f"{path} has no {split} scores {direction} of an ensemble: delete it and "
                    "make it again"
                )
        tables.append(table.assign(path=str(path)))
    measured = pd.concat(tables, ignore_index=True)
    _check_once(measured, KEYS)
    if not everything:
        between = measured["direction"].isin(DIRECTIONS) & (measured["kind"] != "random")
        measured = measured[between].reset_index(drop=True)
    return measured.drop(columns="path")


def read_reported_retrieval(path: str | Path) -> pd.DataFrame:
    """Read reported retrieval scores; what a paper does not report is NaN."""
    columns = ["paper", "dataset", "test_set", "model", "direction"]
    return read_csv(path, columns, MEASURES, optional=MEASURES)


def read_reported_languages(path: str | Path) -> pd.DataFrame:
    """Read the recalls and median ranks that Calixto & Liu (2017) report.

    Returns:
        Columns paper, language, direction, model, beta (of several languages), role (of one:
        `retrained` by the authors, `published` before, or `other` than VSE), r1, r5, r10 and
        median_rank.
    """
    columns = ["paper", "language", "direction", "model", "role"]
    numbers = ["beta", *(f"r{k}" for k in CUTOFFS), "median_rank"]
    return read_csv(path, columns, numbers, ["beta", "role"]).fillna({"role": ""})


def read_reported_images(path: str | Path) -> pd.DataFrame:
    """Read the correlations that Calixto & Liu (2017) report.

    Returns:
        Columns paper, model, beta (of several languages), task, subtask and pearson.
    """
    columns = ["paper", "model", "task", "subtask"]
    return read_csv(path, columns, ["beta", "pearson"], ["beta"])


def read_reported_translations(path: str | Path) -> pd.DataFrame:
    """Read the scores of re-ranked translations that Calixto & Liu (2017) report.

    Returns:
        Columns paper, n_best, system, reranker, beta (of several languages), and a metric each:
        bleu, meteor and ter.
    """
    numbers = ["n_best", "beta", "bleu", "meteor", "ter"]
    return read_csv(path, ["paper", "system", "reranker"], numbers, ["beta"])


def read_reranked(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read the scores of re-ranked translations, one file for each system and length of lists.

    Returns:
        Columns n_best, system, reranker, metric, score (NaN of a metric that is not to be had),
        p_baseline, p_vse, signature, and where each row is from.
    """
    origin = [name for name in PROVENANCE if name != "configuration"]  # which is a model's
    text = ["system", "reranker", "metric", "signature", *origin]
    values = ["score", "p_baseline", "p_vse"]
    optional = [*values, *origin]
    return pd.concat(
        [read_csv(path, text, ["n_best", *values], optional) for path in paths],
        ignore_index=True,
    )


def read_robustness(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read what mistakes do to systems, a file for each.

    Returns:
        Columns system (its short name: the model, or the baseline), kind, rate, measure and value.

    Raises:
        InputError: two files about the same system, such as a model on two data sets.
    """
    text, optional = ["system", "kind", "measure"], ["dataset", "model"]
    tables = [
        read_csv(path, [*text, *optional], ["rate", "value"], optional).assign(path=str(path))
        for path in paths
    ]
    table = pd.concat(tables, ignore_index=True)
    table["system"] = table["model"].fillna(table["system"])  # of baselines there is no model
    _check_once(table, [*text, "rate"])
    return table[[*text, "rate", "value"]]


def read_query_ranks(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read the rank of every test query, a file for each model and seed.

    Returns:
        Columns dataset, model, language, kind, epochs, direction, seed, image and rank, in the
        order of the files.
    """
    text = ["dataset", "model", "language", "kind", "epochs", "direction"]
    numbers = ["seed", "image", "rank"]
    tables = [read_csv(path, text, numbers) for path in paths]
    return pd.concat(tables, ignore_index=True)[[*text, *numbers]]


def read_history(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read what was recorded after each epoch of trainings, a file for each model and seed.

    Returns:
        Columns dataset, model, seed, epoch, dev_recall, seconds and loss (NaN where there is none),
        in the order of the files.
    """
    text, numbers = ["dataset", "model"], ["seed", "epoch", "dev_recall", "seconds", "loss"]
    tables = [read_csv(path, text, numbers, ["loss"]) for path in paths]
    return pd.concat(tables, ignore_index=True)[[*text, *numbers]]


def read_translations(path: str | Path) -> pd.DataFrame:
    """Read what each re-ranker puts first.

    Returns:
        Columns id, image_id (empty where there is no picture), source, reference, reranker and
        hypothesis.
    """
    text = ["image_id", "source", "reference", "reranker", "hypothesis"]
    table = read_csv(path, text, ["id"], ["image_id", "hypothesis"])
    return table.fillna({"image_id": "", "hypothesis": ""})


def read_reported_ranks(path: str | Path) -> pd.DataFrame:
    """Read the mean ranks and recalls that Socher et al. (2014) report; what they do not is NaN.

    Returns:
        A row for each system and loss: paper, model, name and system (the paper's name), objective
        (as `labels.objective` has it; of chance none), and for each direction its mean rank and
        recalls in columns such as `image_to_caption_r10`.
    """
    numbers = {f"{task}_mean_rank": f"{way}_mean_rank" for task, way in REPORTED_TASKS.items()}
    for task in ("image_search", "describing"):
        numbers |= {f"{task}_r{k}": f"{REPORTED_TASKS[task]}_r{k}" for k in CUTOFFS}
    table = read_csv(path, ["paper", "loss", "model"], list(numbers), optional=list(numbers))
    name, loss = table["model"], table.pop("loss")
    objective = loss.map(REPORTED_LOSSES).where(name != "kCCA", loss.map(REPORTED_CCA))
    objective = objective.where(name != "Random", "")
    table = table.rename(columns=numbers)
    return table.assign(name=name, system=name, objective=objective)


def read_reported_relations(path: str | Path) -> pd.DataFrame:
    """Read the relations whose matrices have the largest norms in Socher et al. (2014).

    Returns:
        Columns paper, place (from 1), printed (what the paper calls it) and relation.
    """
    return read_csv(path, ["paper", "printed", "relation"], ["place"])


def read_reported_changes(path: str | Path) -> pd.DataFrame:
    """Read by how many percent the training task and the semantic score changed in the end.

    Returns:
        Columns paper, dataset, measure, since (`epoch 4` or `peak`) and change.
    """
    return read_csv(path, ["paper", "dataset", "measure", "since"], ["change"])


def read_tasks(path: str | Path) -> pd.DataFrame:
    """Read the numbers of pairs that each subtask has in each split, and of those dropped."""
    counts = ["train", "dev", "test", "dropped"]
    return read_csv(path, ["task", "subtask", "source"], counts, optional=["source"])


def read_scores(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read measured correlations with ratings, one file for each system.

    Returns:
        The rows of the files. `seed` is Int64, missing for baselines, whose dataset, model and
        epochs are empty texts. `encoder` is a baseline's, such as `trigrams`, else missing.

    Raises:
        InputError: a file that is not whole, or two about the same system.
    """
    return _read_scores(paths, [])


def read_overlap(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read scores with and without the seen pairs, one file for each trained model.

    Returns:
        Those of `read_scores`, with the columns that `evaluation.overlap.score_unseen` adds.

    Raises:
        InputError: a file that is not whole, or two about the same system.
    """
    return _read_scores(paths, [*SEEN, *UNSEEN_CORRELATIONS])


def _read_scores(paths: Iterable[str | Path], further: list[str]) -> pd.DataFrame:
    keys = ["task", "subtask", "statistic", "method"]
    text = ["dataset", "model", *keys, *PROVENANCE]
    scores = _read_systems(paths, text, ["seed", "pairs", *CORRELATIONS, *further], keys)
    return scores.assign(encoder=scores.get("encoder")).astype({"seed": "Int64"})


def read_predictions(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read what systems predict for the test pairs, one file for each system.

    Returns:
        The rows of the files. `classifier` is NaN where a task has none; the epochs of
        baselines are empty texts.

    Raises:
        InputError: a file that is not whole, or two about the same system.
    """
    numbers = ["pair", "rating", "cosine", "classifier"]
    return _read_systems(paths, ["task", "subtask"], numbers, ["pair"])


def _read_systems(
    paths: Iterable[str | Path], text: list[str], numbers: list[str], keys: list[str]
) -> pd.DataFrame:
    optional = [*TRAINED, *PROVENANCE, "classifier", *UNSEEN_CORRELATIONS]
    keys = ["system", "kind", "epochs", *keys]
    tables = []
    for path in map(Path, paths):
        table = read_csv(path, list(dict.fromkeys([*keys[:3], *text])), numbers, optional)
        if not table["kind"].isin(["ensemble", "baseline"]).any():
            raise InputError(
                f"{path} has no rows of an ensemble or a baseline: delete it and make it again"
            )
        trained = table[table["kind"] != "baseline"]
        _check_filled(path, trained, trained.columns.intersection(TRAINED))
        gaps = {column: "" for column in ("dataset", "model", "epochs") if column in table}
        tables.append(table.fillna(gaps).assign(path=str(path)))
    systems = pd.concat(tables, ignore_index=True)
    _check_once(systems, keys)
    return systems.drop(columns="path")


def read_reported_correlations(path: str | Path) -> pd.DataFrame:
    """Read the correlations that the supplement of Merkx & Frank (2019) reports, in percent.

    Returns:
        A row for each system and subtask, with columns system, task, subtask, pairs, pearson and
        its 95% interval, pearson_low and pearson_high: here fractions of 1.
    """
    columns = [f"{name}{end}" for name in REPORTED_CORRELATIONS for end in ("", "_up", "_down")]
    table = read_csv(path, ["task", "subtask"], ["pairs", *columns])
    return pd.concat(
        [
            table[["task", "subtask", "pairs"]].assign(
                system=system,
                pearson=table[name] / 100,
                pearson_low=(table[name] - table[f"{name}_down"]) / 100,
                pearson_high=(table[name] + table[f"{name}_up"]) / 100,
            )
            for name, system in REPORTED_CORRELATIONS.items()
        ],
        ignore_index=True,
    )[["system", "task", "subtask", "pairs", "pearson", "pearson_low", "pearson_high"]].round(3)


def read_csv(
    path: str | Path, text: list[str], numbers: list[str], optional: Iterable[str] = ()
) -> pd.DataFrame:
    """Read a CSV file with these columns, of which only the optional ones may have empty fields.

    Raises:
        InputError: it is not such a file.
    """
    try:
        table = pd.read_csv(path, index_col=False, dtype=dict.fromkeys(text, str))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: make it first") from None
    except ValueError as error:  # empty, ragged, not UTF-8
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{path} is not a whole CSV file ({reason}): make it again") from None
    missing = [column for column in [*text, *numbers] if column not in table]
    if missing:
        raise InputError(f"{path} has no column {', '.join(missing)}: make it again")
    if table.empty:
        raise InputError(f"{path} has no rows: delete it and make it again")
    _check_filled(path, table, [column for column in text if column not in optional])
    for column in numbers:
        values = pd.to_numeric(table[column], errors="coerce")
        bad = table.index[values.isna() & ~(table[column].isna() & (column in optional))]
        if len(bad):
            value = str(table[column][bad[0]])
            raise InputError(
                f"{path} line {bad[0] + 2}: {column} is {value!r}, not a number: "
                "delete the file and make it again"
            )
        table[column] = values
    return table


def _check_filled(path: str | Path, table: pd.DataFrame, columns: Iterable[str]) -> None:
    for column in columns:
        gaps = table.index[table[column].isna()]
        if len(gaps):
            raise InputError(f"{path} line {gaps[0] + 2} has no {column}: make the file again")


def _check_once(table: pd.DataFrame, keys: list[str]) -> None:
    twice = table.duplicated(keys)
    if twice.any():
        path = table["path"][twice].iloc[0]
        raise InputError(f"{path} is about what another file has already: give each file once")
