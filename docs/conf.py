"""Configuration of Sphinx for `make docs`, which builds the pages in `site/`."""

import re
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.application import Sphinx

project = "groundvec"
author = "The groundvec developers"
release = installed_version("groundvec")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxcontrib.mermaid"]
myst_fence_as_directive = ["mermaid"]
exclude_patterns = ["images", "results"]

# The pages are read on GitHub too, so links are as there: `../groundvec/config/schema.yaml` leads
# to the file. On the site it becomes a download. A link to what does not exist fails the build.
myst_heading_anchors = 3
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "groundvec/model/pretrained/flickr8k-v4/README.md": "card-flickr8k-v4.md",
    "groundvec/model/pretrained/flickr8k-bag-v1/README.md": "card-flickr8k-bag-v1.md",
}

# Commands over several lines, and CSV, which Pygments does not know, are shown without colours.
suppress_warnings = ["misc.highlighting_failure"]

# In docstrings `this` is code, as in Markdown.
default_role = "code"
autoclass_content = "both"
autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "groundvec"
html_copy_source = False
html_show_copyright = False


def to_pages(app: Sphinx, page: str, content: list[str]) -> None:
    """Let links to a file of the root that has a page lead to the page."""
    for file, of_file in PAGES.items():
        content[0] = content[0].replace(f"](../{file}", f"]({of_file}")


def included(app: Sphinx, path: Path, page: str, content: list[str]) -> None:
    """Let the links of a file of the root, which a page includes, lead there from the page.

    A model card begins with what model hubs read, which is left out.
    """
    content[0] = re.sub(r"\A---\n.*?\n---\n", "", content[0], flags=re.DOTALL)
    content[0] = re.sub(r"\]\((?![a-z]+:|#)", "](../", content[0])
    to_pages(app, page, content)


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", to_pages)
    app.connect("include-read", included)
