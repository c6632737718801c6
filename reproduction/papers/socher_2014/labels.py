"""Names of systems in Socher et al. (2014): by their descriptions, never by their own names."""

import pandas as pd

from groundvec.results.schemas import Models
from groundvec.runtime.errors import InputError
from reproduction.reporting.systems import recurrent_name

# Socher et al. (2014) name a recursion over dependency trees by what its matrices depend on, and
# that over other trees by the form of the trees.
COMPOSED = {"position": "DT-RNN", "relation": "SDT-RNN"}
FORMS = {"binary": "CT-RNN", "chain": "Recurrent NN"}
PAPERS_FORM = {"position": "basic", "relation": "collapsed"}  # sections 3.2 and 3.3
BINARISED = "CT-RNN (binarised)"
UNWEIGHTED = " (unweighted)"  # by the words under a node: Eq. 3 in place of Eq. 4
BAG = "BoW"
CENTERED = "BoW (centered)"
CCA = "kCCA (linear)"

OBJECTIVES = {"squared_error": "squared error", "cca": "CCA"}
SIMILARITIES = {"cosine": "cosine", "dot": "inner product", "euclidean": "Euclidean distance"}
MARGIN = "max margin, inner product"
HINGE = "mean hinge, cosine"
SQUARED = "squared error, Euclidean distance"


def system(parts: pd.Series) -> str:
    """Name a system, such as `SDT-RNN`; one that no paper names has its model's name."""
    encoder = parts["encoder.name"]
    form = str(parts.get("text.form"))
    if parts.get("objective.name") == "cca":
        return CCA
    if encoder == "mean":
        return BAG
    if encoder != "trees":
        return recurrent_name(parts)
    if form not in PAPERS_FORM.values():
        return FORMS.get(form, str(parts["model"]))
    name = COMPOSED.get(str(parts.get("encoder.compose")), str(parts["model"]))
    return name + (UNWEIGHTED if parts.get("encoder.weighted") is False else "")


def objective(parts: pd.Series) -> str:
    """Name the objective and the similarity of a system: `max margin, inner product`.

    A hinge that is summed over a batch is a max margin (Socher et al. 2014), one that is averaged
    is the hinge of Merkx & Frank (2019).
    """
    name = parts.get("objective.name")
    if name == "hinge":
        name = "max margin" if parts.get("objective.reduction") == "sum" else "mean hinge"
    return f"{OBJECTIVES.get(str(name), name)}, {SIMILARITIES[parts['similarity']]}"


def labelled(models: Models) -> pd.DataFrame:
    """Add columns `system`, `objective` and `name` to models.

    `name` is the system's. In brackets it says where a CT-RNN has no constituency trees, where
    dependency trees have another form than the paper's, where a bag's vectors are centered, and
    the model's name where a data set has several models of the same name and objective.
    """
    table = models.assign(
        system=models.apply(system, axis=1), objective=models.apply(objective, axis=1)
    )
    table["name"] = table.apply(_of_tree, axis=1)
    kinds = table.groupby(["dataset", "name", "objective"])["model"].transform("nunique")
    own = table["system"] == table["model"]
    names = table["name"] + " (" + table["model"] + ")"
    return table.assign(name=table["name"].where((kinds == 1) | own, names))


def trained_as(models: Models, name: str) -> pd.DataFrame:
    """Take all seeds of one model of a system per data set: the first of the max margin, or any."""
    table = labelled(models)
    table = table[table["system"] == name]
    if table.empty:
        raise InputError(f"there is no {name} among the models, which this is about: train one")
    preferred = table["objective"].ne(MARGIN).sort_values(kind="stable").index
    first = table.loc[preferred].drop_duplicates("dataset")[["dataset", "model"]]
    return table.merge(first)


def _of_tree(parts: pd.Series) -> str:
    name = str(parts["system"])
    form = parts.get("text.form")
    if name == FORMS["binary"]:
        return BINARISED
    if name == BAG and parts.get("encoder.center") is True:
        return CENTERED
    of_paper = PAPERS_FORM.get(str(parts.get("encoder.compose")))
    if name.startswith(tuple(COMPOSED.values())) and form != of_paper:
        return f"{name} ({form})"
    return name
