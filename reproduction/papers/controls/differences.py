"""A forest plot of the controls: what grouping, content, captions and images teach."""

from pathlib import Path

from matplotlib.figure import Figure

from reproduction.papers.controls.claims import CLAIMS
from reproduction.render.figures import CORRELATION, curve_styles
from reproduction.render.style import PAGE, save, styled
from reproduction.reporting import claims
from reproduction.reporting.results import Results
from reproduction.schemas import Claims

# The measures of the panels, without the words that the axis has already.
PANELS = {
    "STS 12-16, of images and videos": "STS of images\nand videos",
    "STS-B, cosine": "STS-B",
    "SICK, cosine": "SICK",
    "SICK, classifier": "SICK, classifier",
}


def make(results: Results, stem: Path) -> None:
    """Draw the differences."""
    [path] = [path for path in results["tables"] if path.stem == "claims"]
    table = claims.read(path)
    save(forest(table[table["claim"].isin(CLAIMS)]), stem)


@styled
def forest(table: Claims) -> Figure:
    """Draw each comparison as a row, with one marker and its interval for each encoder."""
    # `better` is claimed to have the higher score.
    rows = list(dict.fromkeys(zip(table["better"], table["worse"], strict=True)))
    panels = [measure for measure in PANELS if table["measure"].eq(measure).any()]
    encoders = list(table["condition"].unique())
    styles = curve_styles(encoders)
    figure = Figure((PAGE, 0.9 + 0.13 * len(rows) * (len(encoders) + 1)), layout="constrained")
    axes = figure.subplots(1, len(panels) or 1, sharey=True, squeeze=False)[0]
    for axis, measure in zip(axes, panels, strict=False):
        for number, encoder in enumerate(encoders):
            # Encoders of a row are below each other.
            offset = (number - (len(encoders) - 1) / 2) / (len(encoders) + 1)
            chosen = table[table["measure"].eq(measure) & table["condition"].eq(encoder)]
            for is_open, drawn in chosen.groupby(chosen["verdict"].eq(claims.OPEN)):
                pairs = zip(drawn["better"], drawn["worse"], strict=True)
                axis.errorbar(
                    x=drawn["difference"],
                    y=[rows.index(pair) + offset for pair in pairs],
                    xerr=[drawn["difference"] - drawn["low"], drawn["high"] - drawn["difference"]],
                    **styles[encoder],
                    linestyle="none",
                    fillstyle="none" if is_open else "full",
                    elinewidth=0.8,
                )
        axis.axvline(0, color="0.4", linewidth=0.8)
        axis.set_title(PANELS[measure])
        axis.grid(axis="y", visible=False)
    axes[0].set_yticks(range(len(rows)), [f"{better}\nminus {worse}" for better, worse in rows])
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel(f"difference of {CORRELATION}", fontsize=8)
    handles = [
        axes[0].errorbar([], [], [], **style, linestyle="none", label=encoder)
        for encoder, style in styles.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(encoders))
    return figure
