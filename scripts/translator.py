r"""Train a translator on the pairs of a data set's parallel.csv.

A killed training resumes when it is started again with the same arguments. A finished one only
writes its results again. Both need the folder --work. The defaults are from Calixto & Liu
(2017).

Example:
  python scripts/translator.py --name weak --pairs results/datasets/scenes/parallel.csv \
      --source en --target de --settings '{size: 256, embedding: 128}' \
      --work checkpoints --output my-model
"""

import argparse
import logging

from groundvec.cli.program import run
from reproduction.arguments import make_parser

shared = "name pairs source target seed threads device work"
writes = ("/weights.safetensors", "/history.csv", "/model.json")
parser = make_parser(__doc__, shared, "the folder to write", writes, "translator")


def main(arguments: argparse.Namespace) -> None:
    import pandas as pd
    import torch

    from groundvec.device import choose, deterministic
    from groundvec.provenance import code_hash, digest, provenance
    from groundvec.results.frames import write
    from groundvec.runtime.jobs import describe, locked
    from reproduction.schemas import TranslatorHistory
    from reproduction.sources import parallel
    from reproduction.translation import model, training

    deterministic()
    device = choose(arguments.device, arguments.threads)
    settings = arguments.settings
    from_language = arguments.source
    to_language = arguments.target
    train_table = parallel.read(arguments.pairs, "train", from_language, to_language)
    dev_table = parallel.read(arguments.pairs, "dev", from_language, to_language)
    source, target, train, dev = training.prepare(
        train_table, dev_table, from_language, to_language
    )
    torch.manual_seed(arguments.seed)  # draws the initial weights
    translator = model.build(source, target, settings).to(device)
    inputs = {
        "settings": settings,
        "seed": arguments.seed,
        "languages": [from_language, to_language],
        "code": code_hash("scripts/translator.py"),
        "pairs": digest(train_table.to_csv().encode(), dev_table.to_csv().encode()),
    }
    # A hash of all inputs of the result: it names the folder of the checkpoints.
    key = digest(inputs)
    work = arguments.work / key
    title = f"translator {arguments.name}"
    with locked(work, str(arguments.output)):
        describe(work, "translator", f"{arguments.name} seed {arguments.seed}", inputs)
        history = training.train(
            translator, target, train, dev, settings, arguments.seed, work, title
        )
        labels = {"system": arguments.name, "seed": arguments.seed}
        rows = pd.DataFrame([labels | row for row in history])
        write(arguments.output / "history.csv", rows, TranslatorHistory)
        content = labels | {
            "settings": settings,
            "key": key,
            # The provenance of the run that trained, which may be an earlier one.
            "provenance": {name: history[-1][name] for name in provenance(device)},
        }
        model.save(arguments.output, translator, source, target, content)
    logging.info("%s: done, in %s", title, arguments.output)


if __name__ == "__main__":
    run(main, parser)
