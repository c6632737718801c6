r"""Measure `groundvec train` on few pictures: the start, fine-tuned, and trained anew.

Each seed draws pictures of a table of captions, and splits them as `groundvec train` does, unless
the table has splits. A row is added to the output as soon as a training is finished; existing rows
are not measured again.

Example:
  python benchmarks/encoders/fine_tuning.py Flickr8k photos --captions captions.csv \
      --pictures 60 300 1000 -o docs/results/fine-tuning/recalls.csv --overwrite
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from groundvec.cli.commands import train
from groundvec.cli.program import run
from groundvec.model.folder import ModelFolder
from groundvec.provenance import provenance
from groundvec.runtime.files import write_csv
from groundvec.sources import table
from reproduction.arguments import make_parser

KEYS = ["dataset", "pictures", "seed", "start"]


def drawn(captions: pd.DataFrame, count: int, seed: int) -> pd.DataFrame:
    """Draw pictures, and split them by their names, unless they have a split."""
    names = captions["image"].drop_duplicates().sample(count, random_state=seed)
    captions = captions[captions["image"].isin(names)]
    if "split" in captions:
        return captions
    split = table.split_by_name(names, f"{seed} ")
    return captions.assign(split=captions["image"].map(split))


def measure(captions: pd.DataFrame, photos: Path, seed: int, start: str) -> dict[str, float]:
    """Train a model; return its recalls and the shipped encoder's on the test set."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "captions.csv")
        captions.to_csv(file, index=False)
        parser = argparse.ArgumentParser()
        train.add_arguments(parser)
        model = Path(folder, "own")
        command = [str(file), str(photos), "-o", str(model), "--seed", str(seed), "--from", start]
        seconds = time.process_time()
        train.main(parser.parse_args([*command, "--device", "cpu"]))
        row = {"cpu_minutes": (time.process_time() - seconds) / 60}
        fine_tuned = ModelFolder(model).metadata.get("start")
        row["share"] = fine_tuned["share"] if fine_tuned else np.nan
        read = table.read(file, photos)
        for name, encoder in {"own": str(model), "shipped": "flickr8k"}.items():
            ranks = train.held_out_ranks(encoder, *read)
            for direction, places in ranks.groupby("direction")["rank"]:
                for k in (1, 10):
                    row[f"{name}_{direction}_r{k}"] = 100 * float((places <= k).mean())
    return row


def main(arguments: argparse.Namespace) -> None:
    captions = pd.read_csv(arguments.captions, keep_default_na=False)
    output: Path = arguments.output
    rows: list[dict[Any, Any]] = []
    if output.exists():
        rows = pd.read_csv(output).to_dict("records")
    for count in arguments.pictures or [captions["image"].nunique()]:
        for start in arguments.start:
            for seed in arguments.seeds:
                key = dict(zip(KEYS, (arguments.name, count, seed, start), strict=True))
                if any(all(row[name] == key[name] for name in KEYS) for row in rows):
                    continue
                recalls = measure(drawn(captions, count, seed), arguments.photos, seed, start)
                rows.append(key | recalls | provenance("cpu"))
                write_csv(output, pd.DataFrame(rows).sort_values(KEYS))


if __name__ == "__main__":
    parser = make_parser(__doc__, "captions", "the CSV to add rows to")
    parser.add_argument("name", help="of the data set, for the table")
    parser.add_argument("photos", type=Path, help="the folder of the pictures")
    parser.add_argument("--pictures", type=int, nargs="*", help="how many to draw (default: all)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--start", nargs="+", default=["flickr8k", "none"])
    run(main, parser)
