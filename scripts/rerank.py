"""Re-rank lists of translations by trained models, and score the first of each list.

The lists may be any system's (docs/translation.md). Weights are found on the development lists and
applied to the test lists.
"""

import argparse
import logging
from pathlib import Path
from typing import Any

from groundvec.config.cli import run

parser = argparse.ArgumentParser(
    description=__doc__,
    epilog="""example:
  python scripts/rerank.py --system weak --dev dev.20.nbest.gz --test test.20.nbest.gz \\
      --pairs results/datasets/scenes/parallel.csv --source en --target de \\
      --features results/features/scenes/efficientnet_lite0.h5 \\
      --models results/demo/models/both-languages/MLMME-0.5/seed1 --output reranked.csv \\
      --output-translations translations.csv --output-weights weights.csv""",
)
parser.add_argument("--system", required=True, help="the name of what wrote the lists, for results")
parser.add_argument("--dev", type=Path, required=True, help="lists of the development split")
parser.add_argument("--test", type=Path, required=True, help="lists of the test split")
parser.add_argument("--n", type=int, help="the length of the lists, for results (default: theirs)")
parser.add_argument("--pairs", type=Path, required=True, help="a data set's parallel.csv")
parser.add_argument("--source", required=True, help="the language of the sentences, such as en")
parser.add_argument("--target", required=True, help="the language of the translations, such as de")
parser.add_argument("--features", type=Path, required=True, help="HDF5 file of image features")
parser.add_argument(
    "--models", type=Path, nargs="*", default=[], help="the folders of trainings to re-rank by"
)
parser.add_argument("--threads", type=int, help="CPU threads to use (default: all)")
parser.add_argument("--output", type=Path, required=True, help="the CSV of the scores to write")
parser.add_argument(
    "--output-translations", type=Path, required=True, help="the CSV of all first ones"
)
parser.add_argument("--output-weights", type=Path, required=True, help="the CSV of the weights")


def main(arguments: argparse.Namespace) -> None:
    from functools import partial

    import pandas as pd

    from groundvec.device import choose
    from groundvec.features import store
    from groundvec.model.folder import learned_images, read_description
    from groundvec.model.network import load_ensemble
    from groundvec.results.frames import write
    from groundvec.results.schemas import Reranked, RerankWeights, Translations
    from groundvec.runtime.errors import InputError
    from groundvec.runtime.files import check_output
    from groundvec.runtime.provenance import provenance
    from groundvec.translation import nbest, pairs, rerank, scores

    for path in (arguments.output, arguments.output_translations, arguments.output_weights):
        check_output(path)
    device = choose(threads=arguments.threads)
    tables, splits = {}, {}
    for name, path in (("dev", arguments.dev), ("test", arguments.test)):
        tables[name] = pairs.read(arguments.pairs, name, arguments.source, arguments.target)
        lists = nbest.read(path, len(tables[name]))
        splits[name] = rerank.judged(lists, tables[name]["target"].tolist())
    if splits["dev"].lists.names != splits["test"].lists.names:
        raise InputError(
            f"{arguments.test} has other features than {arguments.dev}: write both lists with the "
            "same system"
        )

    features: dict[str, Any] = {}  # as `rerank.rerank` takes them
    # What all are tested against: `vse` is the first model of pictures only, `text` that of text.
    against = {"baseline": rerank.BASELINE, "length": rerank.LENGTH}
    for folder in arguments.models:
        described = read_description(folder)
        name, languages = described["model"], described["description"]["languages"]
        if name in (*features, rerank.BASELINE, rerank.LENGTH, rerank.ORACLE):
            raise InputError(
                f"{folder}: there is a re-ranker {name!r} already: give each model once"
            )
        if arguments.target not in languages:
            raise InputError(
                f"{folder} knows {', '.join(languages)}, not {arguments.target}: re-rank by models "
                "of the language of the translations"
            )
        source = arguments.source if arguments.source in languages else None
        sees = learned_images(described)
        if not (source or sees):
            raise InputError(
                f"{folder} reads no {arguments.source} and learned no images (beta 0), so that it "
                "compares translations with nothing: re-rank by other models"
            )
        if not (source and sees):
            against.setdefault("vse" if sees else "text", name)
        read_features = partial(store.read, arguments.features) if sees else None
        models = load_ensemble(folder, device=device)
        between = (source, arguments.target)
        (names, of_dev), (_, of_test) = (
            rerank.distances(splits[split].lists, tables[split], models, read_features, between)
            for split in ("dev", "test")
        )
        features[name] = (names, of_dev, of_test)
        logging.info("%s: distances of %d hypotheses", name, len(of_dev) + len(of_test))

    test, table = splits["test"], tables["test"]
    chosen = rerank.rerank(splits["dev"], test, features)
    texts = {
        name: [test.lists.hypotheses[row] for row in found.rows] for name, found in chosen.items()
    }
    n = arguments.n or int((test.lists.starts[1:] - test.lists.starts[:-1]).max())
    labels = {"n_best": n, "system": arguments.system}
    rows = []
    others = list(against.values())
    for judgement in scores.judge(texts, others, test.references, arguments.target):
        for name in chosen:
            row = {
                "reranker": name,
                "metric": judgement.metric,
                "score": judgement.scores.get(name),
                **{
                    f"p_{key}": judgement.p.get((name, against.get(key, "")))
                    for key in ("baseline", "length", "vse", "text")
                },
                "signature": judgement.signature,
            }
            rows.append(labels | row | provenance(device))
    write(arguments.output, pd.DataFrame(rows), Reranked)
    of_rerankers = [
        table.rename(columns={"target": "reference"})
        .rename_axis("id")
        .reset_index()
        .assign(reranker=name, hypothesis=texts[name])
        for name in chosen
    ]
    write(arguments.output_translations, pd.concat(of_rerankers), Translations)
    weights = [
        labels | {"reranker": name, "feature": feature, "weight": weight}
        for name, found in chosen.items()
        for feature, weight in found.weights.items()
    ]
    columns = [*labels, "reranker", "feature", "weight"]
    write(arguments.output_weights, pd.DataFrame(weights, columns=columns), RerankWeights)
    for row in rows[: len(chosen)]:
        logging.info("%(system)s, %(n_best)d-best: %(reranker)s BLEU %(score).1f", row)


if __name__ == "__main__":
    run(main, parser)
