"""Rate an encoder that has no command of its own, for the table of docs/evaluate.md.

`trigrams`: hashed character trigrams. `bag`: the mean of GloVe's 100-d vectors of a sentence's
tokens. `untrained`: the recurrent network of the encoder `flickr8k-v1` with random weights,
without the character n-grams beside it. `outputs`, `state`, `learned` (both) and `counts`: a part
of the vector of `flickr8k-v3`. `printable`: a trained model of characters, where each character of
`string.printable` that no caption has gets a random embedding in place of zeros, as in Merkx &
Frank's published code. The result is that of `groundvec evaluate ratings -o`.

Examples:
  python docs/rate_encoders.py trigrams -o trigrams.csv
  python docs/rate_encoders.py bag --vectors data/glove/glove.6B.zip/glove.6B.100d.txt -o bag.csv
  python docs/rate_encoders.py printable --model FOLDER -o printable.csv
"""

import argparse
import string
from pathlib import Path
from typing import Any

from groundvec import SentenceEncoder, baselines, evaluate
from groundvec.data.tokenization import prepare
from groundvec.runtime.files import write_csv
from groundvec.runtime.provenance import provenance

SEED = 0
PARTS = {  # of the vector of flickr8k-v3
    "outputs": slice(512),  # what training compares with pictures
    "state": slice(512, 1024),
    "learned": slice(1024),
    "counts": slice(1024, None),
}


def bag(vectors: Path) -> Any:
    """GloVe has words in lower case; sentences are tokenised, which SentEval's are already."""
    encoder = baselines.load("bag-of-words", vectors=vectors)
    return lambda sentences: encoder.encode(prepare(sentences, "moses", True))


def untrained() -> SentenceEncoder:
    """The characters are those that the trained encoder knows; the weights are drawn anew."""
    import torch

    from groundvec.model.network import Model

    [trained, *_] = SentenceEncoder.load("flickr8k-v1").models
    described = {name: of for name, of in trained.description.items() if name != "spelling"}
    torch.manual_seed(SEED)
    return SentenceEncoder([Model(described, trained.texts, trained.width)])


def part(name: str) -> Any:
    """One of `PARTS`."""
    encoder = SentenceEncoder.load("flickr8k-v3")
    return lambda sentences: encoder.encode(sentences)[:, PARTS[name]]


def printable(folder: str) -> SentenceEncoder:
    """Load a model, and add the characters of `string.printable` that it does not know."""
    import torch

    from groundvec.text.characters import Text

    encoder = SentenceEncoder.load(folder)
    for model in encoder.models:
        torch.manual_seed(SEED)  # snapshots of one training share what it never changed
        text, table = model.texts["en"], model.captions["en"].embedding
        new = "".join(sorted({*string.printable} - {*text.characters}))
        model.texts["en"] = Text(text.characters + new, [*text.counts, *len(new) * [0]])
        drawn = torch.randn(len(new), table.embedding_dim)
        table.weight = torch.nn.Parameter(torch.cat([table.weight, drawn]))
    return encoder


def main() -> None:
    """Write the scores."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("encoder", choices=["trigrams", "bag", "untrained", "printable", *PARTS])
    parser.add_argument("--vectors", type=Path, help="bag: GloVe's vectors, FILE or ZIP/MEMBER")
    parser.add_argument("--model", help="printable: its folder")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    encoder: Any
    match arguments.encoder:
        case "trigrams":
            encoder = baselines.load("trigrams")
        case "bag":
            encoder = bag(arguments.vectors)
        case "untrained":
            encoder = untrained()
        case "printable":
            encoder = printable(arguments.model)
        case name:
            encoder = part(name)
    scores = evaluate.ratings(encoder).scores
    write_csv(arguments.output, scores.assign(encoder=arguments.encoder, **provenance()))


if __name__ == "__main__":
    main()
