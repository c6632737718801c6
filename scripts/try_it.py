r"""Make a panel for trying a model in a report: HTML that needs no other file.

The model is the bag of n-grams with the best recall on the development set, with any seed; its
ensemble runs in the reader's browser. If there is none, the panel is a line with the reason.

Example:
  python scripts/try_it.py --models results/demo/models/scenes/*/*/model.json \
      --retrieval results/demo/retrieval/scenes/*/seed?.csv \
      --captions results/datasets/scenes/captions.csv \
      --features results/features/scenes/efficientnet_lite0.h5 --output try_it.html
"""

import argparse
import logging

from groundvec.cli.program import run
from reproduction.arguments import make_parser
from reproduction.reporting.results import Results, add_arguments

parser = make_parser(__doc__, output="the file to write, .html")
add_arguments(parser, ("models", "retrieval", "captions", "features"))
NONE = (
    "<p>No model can be tried in this page: none is a bag of n-grams that compares cosines.</p>\n"
)


def main(arguments: argparse.Namespace) -> None:
    from groundvec.model.folder import ModelFolder
    from groundvec.model.network import load_ensemble
    from groundvec.runtime.files import write_bytes
    from reproduction.page.try_it import is_runnable, panel
    from reproduction.reporting.embedded import check_one_dataset, embed
    from reproduction.reporting.systems import described, select

    results = Results(**vars(arguments))
    # One data set's models, as a page has one panel.
    models = map(ModelFolder, check_one_dataset(results.models)["folder"])
    runnable = [model.metadata["model"] for model in models if is_runnable(model.description)]
    retrieval = results.retrieval[results.retrieval["model"].isin(runnable)]
    text = NONE
    if len(retrieval):
        dataset, [name, seed] = next(iter(select(retrieval, None, "recall").items()))
        metadata = described(results.models, dataset, name, seed)
        embedded = embed(results, metadata, ensemble=True)
        ensemble = load_ensemble(ModelFolder(metadata["folder"]))
        text = panel(ensemble, embedded, dataset, f"{name}, seed {seed}")
    write_bytes(arguments.output, text.encode())
    logging.info("%s: %.1f MB", arguments.output, len(text) / 1e6)


if __name__ == "__main__":
    run(main, parser)
