"""Name models as Socher et al. (2014) do: by their descriptions, never by their own names."""

import pandas as pd

from groundvec.runtime.errors import InputError
from reproduction.reporting.systems import recurrent_name
from reproduction.schemas import Models

# Socher et al. (2014) name a network over dependency trees by what its matrices depend on, and a
# network over other trees by the form of the trees.
COMPOSED = {"position": "DT-RNN", "relation": "SDT-RNN"}
FORMS = {"binary": "CT-RNN", "chain": "Recurrent NN"}
PAPERS_FORM = {"position": "basic", "relation": "collapsed"}  # sections 3.2 and 3.3
BINARISED = "CT-RNN (binarised)"
UNWEIGHTED = " (unweighted)"  # Eq. 3; Eq. 4 weights a node by the number of words below it
BAG = "BoW"
CENTERED = "BoW (centered)"
CCA = "kCCA (linear)"

OBJECTIVES = {"squared_error": "squared error", "cca": "CCA"}
SIMILARITIES = {"cosine": "cosine", "dot": "inner product", "euclidean": "Euclidean distance"}
MARGIN = "max margin, inner product"
HINGE = "mean hinge, cosine"
SQUARED = "squared error, Euclidean distance"


def system(parts: pd.Series) -> str:
    """Name a system, such as `SDT-RNN`. A system that no paper names has its model's name."""
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

    A hinge loss that is summed over a batch is the max margin of Socher et al. (2014). One that is
    averaged is the hinge loss of Merkx & Frank (2019).
    """
    name = parts.get("objective.name")
    if name == "hinge":
        name = "max margin" if parts.get("objective.reduction") == "sum" else "mean hinge"
    return f"{OBJECTIVES.get(str(name), name)}, {SIMILARITIES[parts['similarity']]}"


def labelled(models: Models) -> pd.DataFrame:
    """Add the columns `system`, `objective` and `name` to models.

    `name` is the system, with these differences in brackets: a CT-RNN without constituency trees, a
    form of dependency trees that is not the paper's, and centered vectors of a bag. If a data set
    has several models of the same name and objective, the model's name is in brackets too.
    """
    table = models.assign(
        system=models.apply(system, axis=1), objective=models.apply(objective, axis=1)
    )
    table["name"] = table.apply(_of_tree, axis=1)
    kinds = table.groupby(["dataset", "name", "objective"])["model"].transform("nunique")
    has_model_name = table["system"] == table["model"]
    names = table["name"] + " (" + table["model"] + ")"
    return table.assign(name=table["name"].where((kinds == 1) | has_model_name, names))


def sdt_rnns(models: Models) -> pd.DataFrame:
    """Select all seeds of the first SDT-RNN per data set, preferring the max margin."""
    table = labelled(models)
    table = table.query("system == 'SDT-RNN'")
    if table.empty:
        raise InputError("this item shows the SDT-RNN, but no model is one: train one")
    preferred = table["objective"].ne(MARGIN).sort_values(kind="stable").index
    first = table.loc[preferred].drop_duplicates("dataset")[["dataset", "model"]]
    return table.merge(first)


def _of_tree(parts: pd.Series) -> str:
    """Name a system with its differences from the paper's in brackets."""
    name = str(parts["system"])
    form = parts.get("text.form")
    if name == FORMS["binary"]:
        return BINARISED
    if name == BAG and parts.get("encoder.center") is True:
        return CENTERED
    paper_form = PAPERS_FORM.get(str(parts.get("encoder.compose")))
    if name.startswith(tuple(COMPOSED.values())) and form != paper_form:
        return f"{name} ({form})"
    return name
