"""Make a panel in which a report's reader can try the best model, HTML that needs no other file.

Where ONNX Runtime Web is not at hand, it is a line that says how to get it.
"""

import argparse
import logging
from pathlib import Path

from groundvec.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="example:\n  python scripts/try_it.py "
    "--models results/demo/models/scenes/gru-*/*/model.json "
    "--retrieval results/demo/retrieval/scenes/gru-*/*.csv "
    "--captions results/datasets/scenes/captions.csv "
    "--features results/features/scenes/efficientnet_lite0.h5 "
    "--runtime data/onnxruntime_web --output try_it.html",
)
for option, what in {
    "models": "the model.json of each training of a data set that a page can run",
    "retrieval": "what scripts/retrieval.py wrote, a file for each",
}.items():
    parser.add_argument(
        f"--{option}", type=Path, nargs="+", metavar="FILE", help=what, required=True
    )
for option, what in {
    "captions": "the data set's captions.csv",
    "features": "the HDF5 file of its image features",
    "output": "the file to write, .html",
}.items():
    parser.add_argument(f"--{option}", type=Path, metavar="FILE", help=what, required=True)
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

SAMPLE = 100  # captions, by which it is seen whether half precision will do


def main(arguments: argparse.Namespace) -> None:
    from tempfile import TemporaryDirectory

    import yaml

    from groundvec.export.onnx import export
    from groundvec.files import write_bytes
    from groundvec.model import load_ensemble
    from groundvec.reporting.embedded import embed, of_one
    from groundvec.reporting.page.try_it import panel, precision, runtime_files
    from groundvec.reporting.results import Results
    from groundvec.reporting.systems import described

    pinned = yaml.safe_load(arguments.pinned.read_text("utf-8"))
    archive = arguments.runtime / pinned["archive"]
    if not archive.exists():
        reason = (
            f"To try the best model here, npm has to get {pinned['package']}, which it could not: "
            f"install npm, delete {arguments.runtime} and make this page again."
        )
        logging.warning("%s", reason)
        write_bytes(arguments.output, f"<p>{reason}</p>\n".encode())
        return
    results = Results(**vars(arguments))
    dataset, [model, seed] = next(iter(results.selected.items()))
    about = described(of_one(results.models), dataset, model, seed)
    embedded = embed(results, about, ensemble=True)
    with TemporaryDirectory() as folder:
        encoder, models = Path(folder, "encoder.onnx"), load_ensemble(about["folder"])
        export(models, encoder, precision=precision(models, embedded.captions[:SAMPLE]))
        files = runtime_files(archive, pinned["sha512"])
        text = panel(encoder, embedded, dataset, f"{model}, seed {seed}", files)
    write_bytes(arguments.output, text.encode())
    logging.info("%s: %.1f MB, %s", arguments.output, len(text) / 1e6, model)


if __name__ == "__main__":
    run(main, parser)
