"""A forest plot of the controls: what grouping, content, captions and images teach."""

from pathlib import Path

from reproduction.papers.controls.conditions import CONDITIONS
from reproduction.render.figures import CORRELATION, forest
from reproduction.render.style import save
from reproduction.reporting import claims
from reproduction.reporting.results import Results

# The measures of the panels, without the words that the axis has already.
PANELS = {
    "STS 12-16, of images and videos": "STS of images\nand videos",
    "STS-B, cosine": "STS-B",
    "SICK, cosine": "SICK",
    "SICK, classifier": "SICK, classifier",
}
LINEAR = 10  # an untrained network over characters is far below the others


def make(results: Results, stem: Path) -> None:
    """Draw the differences."""
    [path] = [path for path in results["tables"] if path.stem == "claims"]
    table = claims.read(path)
    table = table[table["worse"].isin(CONDITIONS)]  # without baselines
    # `better` is claimed to have the higher score.
    table = table.assign(
        row=table["better"] + "\nminus " + table["worse"],
        panel=table["measure"].map(PANELS),
        series=table["condition"],
        value=table["difference"],
        open=table["verdict"] == claims.OPEN,
    )
    title = f"difference of {CORRELATION}, on a logarithmic scale beyond {LINEAR}"
    figure = forest(table, title)
    for axis in figure.axes:
        axis.set_xscale("symlog", linthresh=LINEAR)
        axis.set_xticks([0, 5, LINEAR, 50], ["0", "5", str(LINEAR), "50"])
        axis.minorticks_off()
    save(figure, stem)
