r"""Make a panel in which the reader of a report can try a model: HTML that needs no other file.

The model is the training with the best recall on the development set, with any seed, among those
that a page can run and that are small enough for one; its ensemble is exported. If there is none,
or if ONNX Runtime Web is missing, the panel is a line with the reason.

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

from groundvec.cli.program import run
from reproduction.arguments import make_parser
from reproduction.reporting.results import Results, add_arguments

parser = make_parser(__doc__, output="the file to write, .html")
add_arguments(parser, ("models", "retrieval", "captions", "features"))
parser.add_argument(
    "--runtime", type=Path, metavar="FOLDER", required=True, help="the folder of `npm pack`"
)
parser.add_argument(
    "--pinned",
    type=Path,
    metavar="FILE",
    default=Path("resources/onnxruntime_web.yaml"),
    help="the version and sum of the runtime (default: %(default)s)",
)

LARGEST = 200  # megabytes of an ensemble's weights: a larger page takes long to open
SAMPLE = 100  # captions; if half precision does not change their vectors, the panel has it


def main(arguments: argparse.Namespace) -> None:
    from tempfile import TemporaryDirectory

    import yaml

    from groundvec.export.onnx import export
    from groundvec.model.folder import read_description
    from groundvec.model.network import load_ensemble
    from groundvec.runtime.files import write_bytes
    from reproduction.page.try_it import obstacle, panel, precision, runtime_files
    from reproduction.reporting.embedded import check_one_dataset, embed
    from reproduction.reporting.systems import described, select

    pinned = yaml.safe_load(arguments.pinned.read_text("utf-8"))
    archive = arguments.runtime / pinned["archive"]
    if not archive.exists():
        write_line(
            arguments.output,
            f"To try the best model here, npm has to download {pinned['package']}, which failed: "
            f"install npm, delete {arguments.runtime} and make this page again.",
        )
        return
    results = Results(**vars(arguments))
    # One data set's models, as a page has one panel.
    folders = check_one_dataset(results.models)["folder"]
    obstacles = {}
    for folder in folders:
        content = read_description(folder)
        problem = obstacle(content["description"])
        size = megabytes(folder)
        if not problem and size > LARGEST:
            problem = f"has {size:.1f} MB of weights, more than {LARGEST}"
        obstacles[content["model"]] = problem
    runnable = [model for model, problem in obstacles.items() if not problem]
    retrieval = results.retrieval[results.retrieval["model"].isin(runnable)]
    if retrieval.empty:
        reasons = "; ".join(f"{model} {problem}" for model, problem in obstacles.items())
        write_line(arguments.output, f"No model can be tried in this page: {reasons}.")
        return
    dataset, [model, seed] = next(iter(select(retrieval, None, "recall").items()))
    metadata = described(results.models, dataset, model, seed)
    embedded = embed(results, metadata, ensemble=True)
    with TemporaryDirectory() as folder:
        encoder = Path(folder, "encoder.onnx")
        models = load_ensemble(metadata["folder"])
        export(models, encoder, precision=precision(models, embedded.captions[:SAMPLE]))
        files = runtime_files(archive, pinned["sha512"])
        text = panel(encoder, embedded, dataset, f"{model}, seed {seed}", files)
    write_bytes(arguments.output, text.encode())
    logging.info("%s: %.1f MB, %s", arguments.output, len(text) / 1e6, model)


def megabytes(folder: str) -> float:
    """Return the size of the snapshots in a training's ensemble."""
    from groundvec.model.folder import read_ensemble, snapshot_name

    names = [snapshot_name(epoch) for epoch in read_ensemble(folder)["epochs"]]
    return sum(Path(folder, "snapshots", name).stat().st_size for name in names) / 1e6


def write_line(path: Path, line: str) -> None:
    """Write a line in place of the panel, and log it."""
    from groundvec.runtime.files import write_bytes

    logging.warning("%s", line)
    write_bytes(path, f"<p>{escape(line)}</p>\n".encode())


if __name__ == "__main__":
    run(main, parser)
