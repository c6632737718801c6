"""Train a translator on the pairs of a data set's parallel.csv.

A killed training resumes if it is started again with the same arguments. A finished one only
writes its results again. Both need the folder --work. The defaults are those of Calixto
& Liu (2017).
"""

import argparse
import logging
import os
from pathlib import Path

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="""example:
  python scripts/translator.py --name weak --pairs results/datasets/scenes/parallel.csv \\
      --source en --target de --size 256 --embedding 128 --work checkpoints --output my-model""",
)
parser.add_argument("--name", required=True, help="of the system, for results")
parser.add_argument("--pairs", type=Path, required=True, help="a data set's parallel.csv")
parser.add_argument("--source", required=True, help="the language to translate from, such as en")
parser.add_argument("--target", required=True, help="the language to translate into, such as de")
parser.add_argument("--size", type=int, default=1024, help="of the recurrent networks")
parser.add_argument("--embedding", type=int, default=620, help="of a word")
parser.add_argument("--dropout", type=float, default=0.0, help="dropout probability")
parser.add_argument("--l2", type=float, default=0.0, help="weight of the L2 penalty")
parser.add_argument("--epochs", type=int, default=50, help="at most")
parser.add_argument(
    "--patience", type=int, default=5, help="epochs without a better BLEU before training ends"
)
parser.add_argument("--batch-size", type=int, default=40, help="in sentences")
parser.add_argument("--seed", type=int, default=1, help="of the weights and the batches")
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--device", choices=["cpu", "cuda"], help="(default: cuda where there is one)")
parser.add_argument("--work", type=Path, required=True, help="a folder for checkpoints")
parser.add_argument("--output", type=Path, required=True, help="the folder to write")

SETTINGS = ("size", "embedding", "dropout", "l2", "epochs", "patience", "batch_size")


def main(arguments: argparse.Namespace) -> None:
    # cuBLAS is deterministic only with a fixed workspace; it reads this when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    import pandas as pd
    import torch

    from groundvec.device import choose, deterministic
    from groundvec.results.frames import write
    from groundvec.results.schemas import TranslatorHistory
    from groundvec.runtime.files import check_output
    from groundvec.runtime.jobs import describe, locked
    from groundvec.runtime.provenance import code_hash, digest, provenance
    from groundvec.translation import model, pairs, training

    for name in ("weights.safetensors", "history.csv", "model.json"):
        check_output(arguments.output / name)  # at once, and not after hours of training
    device = choose(arguments.device, arguments.threads)
    deterministic()
    settings = {name: getattr(arguments, name) for name in SETTINGS}
    languages = arguments.source, arguments.target
    tables = [pairs.read(arguments.pairs, split, *languages) for split in ("train", "dev")]
    source, target, train, dev = training.prepare(tables[0], tables[1], *languages)
    torch.manual_seed(arguments.seed)
    translator = model.build(source, target, settings).to(device)
    decides = {
        "settings": settings,
        "seed": arguments.seed,
        "languages": languages,
        "code": code_hash("scripts/translator.py"),
        "pairs": digest(*[table.to_csv().encode() for table in tables]),
    }
    # A hash of everything that decides the result: it names the folder of the checkpoints.
    key = digest(decides)
    work = arguments.work / key
    title = f"translator {arguments.name}"
    with locked(work, str(arguments.output)):
        describe(work, "translator", f"{arguments.name} seed {arguments.seed}", decides)
        history = training.train(
            translator, target, train, dev, settings, arguments.seed, work, title
        )
        labels = {"system": arguments.name, "seed": arguments.seed}
        rows = pd.DataFrame([labels | row for row in history])
        write(arguments.output / "history.csv", rows, TranslatorHistory)
        content = labels | {
            "settings": settings,
            "key": key,
            # Of the run that trained, which may be an earlier one.
            "provenance": {name: history[-1][name] for name in provenance(device)},
        }
        model.save(arguments.output, translator, source, target, content)
    logging.info("%s: done, in %s", title, arguments.output)


if __name__ == "__main__":
    run(main, parser)
