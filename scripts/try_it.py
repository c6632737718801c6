r"""Make a panel in which a report's reader can try a model, HTML that needs no other file.

Of the models that a page can run, and that are not too large for one, it is the ensemble of the
single training with the best recall on the development set, whatever its seed. If there is none, or
no ONNX Runtime Web, the panel is a line that says so.

Example:
  python scripts/try_it.py --models results/demo/models/scenes/*/*/model.json \
      --retrieval results/demo/retrieval/scenes/*/seed?.csv \
      --captions results/datasets/scenes/captions.csv \
      --features results/features/scenes/efficientnet_lite0.h5 --runtime data/onnxruntime_web \
      --output try_it.html
"""

import argparse
import logging
from html import escape
from pathlib import Path

from groundvec.cli.arguments import make_parser
from groundvec.cli.program import run
from reproduction.reporting.results import Results, add_arguments

parser = make_parser(__doc__, output="the file to write, .html")
add_arguments(parser, ("models", "retrieval", "captions", "features"))
parser.add_argument(
    "--runtime", type=Path, metavar="FOLDER", required=True, help="where `npm pack` wrote it"
)
parser.add_argument(
    "--pinned",
    type=Path,
    metavar="FILE",
    default=Path("resources/onnxruntime_web.yaml"),
    help="the runtime's version and sum (default: %(default)s)",
)

LARGEST = 200  # megabytes of an ensemble's weights: a page that holds more takes long to open
SAMPLE = 100  # captions, by which it is seen whether half precision will do


def main(arguments: argparse.Namespace) -> None:
    from tempfile import TemporaryDirectory

    import yaml

    from groundvec.export.onnx import export
    from groundvec.model.folder import read_description
    from groundvec.model.network import load_ensemble
    from groundvec.runtime.files import write_bytes
    from reproduction.page.try_it import obstacle, panel, precision, runtime_files
    from reproduction.reporting.embedded import embed, of_one
    from reproduction.reporting.systems import described, select

    pinned = yaml.safe_load(arguments.pinned.read_text("utf-8"))
    archive = arguments.runtime / pinned["archive"]
    if not archive.exists():
        write_line(
            arguments.output,
            f"To try the best model here, npm has to get {pinned['package']}, which it could not: "
            f"install npm, delete {arguments.runtime} and make this page again.",
        )
        return
    results = Results(**vars(arguments))
    folders = of_one(results.models)["folder"]
    why = {}
    for folder in folders:
        content = read_description(folder)
        size = weight(folder)
        large = f"has {size:.1f} MB of weights, more than {LARGEST}" if size > LARGEST else ""
        why[content["model"]] = obstacle(content["description"]) or large
    can = [model for model, reason in why.items() if not reason]
    retrieval = results.retrieval[results.retrieval["model"].isin(can)]
    if retrieval.empty:
        reasons = "; ".join(f"{model} {reason}" for model, reason in why.items())
        write_line(arguments.output, f"No model can be tried in this page: {reasons}.")
        return
    dataset, [model, seed] = next(iter(select(retrieval, None, "recall").items()))
    about = described(results.models, dataset, model, seed)
    embedded = embed(results, about, ensemble=True)
    with TemporaryDirectory() as folder:
        encoder = Path(folder, "encoder.onnx")
        models = load_ensemble(about["folder"])
        export(models, encoder, precision=precision(models, embedded.captions[:SAMPLE]))
        files = runtime_files(archive, pinned["sha512"])
        text = panel(encoder, embedded, dataset, f"{model}, seed {seed}", files)
    write_bytes(arguments.output, text.encode())
    logging.info("%s: %.1f MB, %s", arguments.output, len(text) / 1e6, model)


def weight(folder: str) -> float:
    """Sum the megabytes of the snapshots in a training's ensemble."""
    from groundvec.model.folder import read_ensemble, snapshot_name

    names = map(snapshot_name, read_ensemble(folder)["epochs"])
    return sum(Path(folder, "snapshots", name).stat().st_size for name in names) / 1e6


def write_line(path: Path, line: str) -> None:
    from groundvec.runtime.files import write_bytes

    logging.warning("%s", line)
    write_bytes(path, f"<p>{escape(line)}</p>\n".encode())


if __name__ == "__main__":
    run(main, parser)
