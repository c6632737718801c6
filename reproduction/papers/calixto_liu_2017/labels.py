"""Name models as Calixto & Liu (2017) do: by their descriptions, never by their own names."""

import pandas as pd

from reproduction.reporting.systems import recurrent_name
from reproduction.schemas import Models


def labelled(models: Models) -> pd.DataFrame:
    """Add the columns name, several, beta and reads to models.

    `name` is VSE for one language, and MLMME with its beta for several. Brackets hold differences
    from the paper, and the model's name if two models would have the same name. `beta` is NaN for
    one language. `reads` is the kind of text, such as words.
    """
    table = models.assign(several=models["languages"].map(len) > 1, reads=models["text.name"])
    table["beta"] = table.get("objective.beta", pd.Series(dtype=float)).where(table["several"])
    table["name"] = table.apply(_label, axis=1)
    hashable = table.assign(languages=table["languages"].map(tuple))
    models_of_name = hashable.groupby(["dataset", "name", "languages"])["model"]
    ambiguous = models_of_name.transform("nunique") > 1
    table["name"] = table["name"].where(~ambiguous, table["name"] + " (" + table["model"] + ")")
    return table


def _label(description: pd.Series) -> str:
    """Name one model, with its differences from the paper's in brackets."""
    if description.get("objective.name") != "multilingual":
        return recurrent_name(description)
    differences = []
    if description["reads"] != "words":
        differences.append(description["reads"])
    if description.get("shared") is True:
        differences.append("shared")
    name = f"MLMME, β = {description['objective.beta']:g}" if description["several"] else "VSE"
    return f"{name} ({', '.join(differences)})" if differences else name
