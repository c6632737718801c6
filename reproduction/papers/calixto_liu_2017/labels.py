"""Names of models in Calixto & Liu (2017): by their descriptions, never by their own names."""

import pandas as pd

from groundvec.results.schemas import Models
from reproduction.reporting.systems import recurrent_name


def of_languages(models: Models) -> pd.DataFrame:
    """Add the names of Calixto & Liu (2017) for models: columns name, several, beta and reads.

    `name` is VSE for one language, and MLMME with its beta for several. Brackets hold a difference
    from the paper, and the model's name where two would have the same. `beta` is NaN for one
    language; `reads` is the text, such as words.
    """
    table = models.assign(several=models["languages"].map(len) > 1, reads=models["text.name"])
    table["beta"] = table.get("objective.beta", pd.Series(dtype=float)).where(table["several"])
    table["name"] = table.apply(_of_languages, axis=1)
    same = ["dataset", "name"]
    apart = table.assign(languages=table["languages"].map(tuple))
    several = apart.groupby([*same, "languages"])["model"].transform("nunique") > 1
    table["name"] = table["name"].where(~several, table["name"] + " (" + table["model"] + ")")
    return table


def _of_languages(parts: pd.Series) -> str:
    if parts.get("objective.name") != "multilingual":
        return recurrent_name(parts)
    unlike = [parts["reads"]] if parts["reads"] != "words" else []
    unlike += ["shared"] if parts.get("shared") is True else []
    name = f"MLMME, β = {parts['objective.beta']:g}" if parts["several"] else "VSE"
    return f"{name} ({', '.join(unlike)})" if unlike else name
