"""Write references of CITATION.cff as BibTeX."""

from collections.abc import Mapping
from typing import Any

TYPES = {"article": "article", "conference-paper": "inproceedings"}
FIELDS = {"title": "title", "journal": "journal", "collection-title": "booktitle"}
FIELDS |= {"volume": "volume", "issue": "number", "pages": "pages", "year": "year", "doi": "doi"}


def bibtex(reference: Mapping[str, Any]) -> str:
    """Write a reference in the form of CITATION.cff as an entry of BibTeX, such as `merkx2019`."""
    authors = [
        f"{author['family-names']}, {author['given-names']}" for author in reference["authors"]
    ]
    first = reference["authors"][0]["family-names"].lower().replace(" ", "")
    content = dict(reference)
    if "start" in reference:
        content["pages"] = f"{reference['start']}--{reference['end']}"
    fields = {"author": " and ".join(authors)}
    for key, field in FIELDS.items():
        if key in content:
            fields[field] = str(content[key]).replace("&", r"\&")
    lines = [f"  {field} = {{{text}}}," for field, text in fields.items()]
    kind = TYPES.get(reference["type"], "misc")
    return "\n".join([f"@{kind}{{{first}{reference['year']},", *lines, "}"]) + "\n"
