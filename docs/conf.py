"""Configuration of Sphinx for `make docs`, which builds the pages in `site/`."""

import json
import re
import shutil
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "examples" / "tour.ipynb"
DEMO = ROOT / "results" / "demo"
# A sentence of docs/page.md, and the one that replaces it if `make all` made the demo's page.
WITHOUT_DEMO = "`make all docs` puts the demo's page on the site."
WITH_DEMO = '<a href="demo/report/index.html">The demo\'s page</a> is on this site.'

project = "groundvec"
author = "The groundvec developers"
release = installed_version("groundvec")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinxcontrib.mermaid",
]
# Copy commands without prompts and output.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
myst_fence_as_directive = ["mermaid"]
exclude_patterns = ["images", "results"]

# The pages are read on GitHub too, so links are as there: `../groundvec/config/schema.yaml` leads
# to the file. On the site it becomes a download. A link to what does not exist fails the build.
myst_heading_anchors = 3
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "groundvec/model/pretrained/flickr8k-bag-v1/README.md": "card-flickr8k-bag-v1.md",
    "groundvec/model/pretrained/flickr8k-v6/README.md": "card-flickr8k-v6.md",
}

# Commands over several lines, and CSV, which Pygments does not know, are shown without colors.
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
html_logo = "images/logo.svg"
html_favicon = html_logo
html_static_path = ["site.css"]
html_css_files = html_static_path
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


def notebook(app: Sphinx, page: str, content: list[str]) -> None:
    """Show the cells of the notebook, with their stored outputs, in place of a link to it."""
    if page != "tour":
        return
    content[0] = ""
    for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            # The notebook's links lead from its own folder.
            content[0] += "\n" + source.replace("](../docs/", "](") + "\n"
            continue
        content[0] += f"\n```python\n{source}\n```\n"
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                content[0] += f"\n```text\n{''.join(output['text'])}```\n"
            else:
                data = "".join(output["data"]["image/png"]).replace("\n", "")
                content[0] += f"\n![The pictures of the cell above](data:image/png;base64,{data})\n"
    content[0] += "\n[This page as a notebook](../examples/tour.ipynb)\n"


def demo(app: Sphinx, error: Exception | None) -> None:
    """Copy the demo's page with the files that it links, if `make all` made them."""
    if not (DEMO / "report" / "index.html").exists():
        return
    for folder in (DEMO / "report", *DEMO.glob("*/tables"), *DEMO.glob("*/figures")):
        target = Path(app.outdir, "demo", folder.relative_to(DEMO))
        shutil.copytree(folder, target, dirs_exist_ok=True)


def link_demo(app: Sphinx, page: str, content: list[str]) -> None:
    """Link the demo's page from its description, if `make all` made it."""
    if page == "page" and (DEMO / "report" / "index.html").exists():
        content[0] = content[0].replace(WITHOUT_DEMO, WITH_DEMO)


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", notebook)
    app.connect("source-read", link_demo)
    app.connect("source-read", to_pages)
    app.connect("build-finished", demo)
    app.connect("include-read", included)
