"""Rate any sentence encoder on STS 2012-2016, STS-B and SICK, score retrieval, compare encoders.

The rated sentences are downloaded once and kept in the cache, unless --folder names them.
For encoders in other languages or on other machines, encode the output of `sentences`.

Examples:
  groundvec evaluate ratings flickr8k --tasks "STS 2012" --predictions a.csv
  groundvec evaluate ratings flickr8k --tasks SICK -o sick.csv
  groundvec evaluate ratings flickr8k flickr8k-bag --tasks SICK -o table.tex
  groundvec evaluate sentences --tasks "STS 2012" -o all.txt
  groundvec encode all.txt -o of-all.npy
  groundvec evaluate ratings of-all.npy --tasks "STS 2012" --predictions b.csv
  groundvec evaluate compare a.csv b.csv
  groundvec evaluate ratings --sentence-transformers all-MiniLM-L6-v2 --captions my-captions.txt ...
  groundvec evaluate retrieval captions.npy images.npy --ranks ranks.csv
  groundvec evaluate compare ranks.csv ranks.csv -o tests.csv
"""

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.cli.arguments import FOLDERS, STANDARD, add_output, file_ending_in
from groundvec.cli.program import show
from groundvec.cli.sentences import read_sentences
from groundvec.runtime import files
from groundvec.runtime.errors import InputError, extra, printable

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

log = logging.getLogger(__name__)

Add = Callable[[argparse.ArgumentParser], None]
Action = Callable[[argparse.Namespace], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands of `groundvec evaluate`, each with its examples from the text above."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (add, action) in COMMANDS.items():
        examples = [line for line in (__doc__ or "").splitlines() if f"evaluate {name}" in line]
        command = commands.add_parser(
            name,
            help=(action.__doc__ or "").rstrip("."),
            description=action.__doc__,
            epilog="\n".join(["Examples:", *examples]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add(command)
        command.set_defaults(action=action)


def _add_ratings(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec evaluate ratings`."""
    parser.add_argument(
        "encoders",
        nargs="*",
        metavar="ENCODER",
        help="a model's name or folder, or FILE.npy with a row for each line of `sentences`; "
        "several are compared in one table",
    )
    parser.add_argument(
        "--sentence-transformers",
        nargs="+",
        default=[],
        metavar="NAME",
        help="models of sentence-transformers: names on the hub, or folders",
    )
    _add_tasks(parser)
    parser.add_argument(
        "--captions",
        type=Path,
        metavar="FILE",
        help="training captions, one per line: also score without the pairs that contain one",
    )
    _add_items(parser, "predictions", "test pair")
    _add_scores(parser)


def _add_retrieval(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `groundvec evaluate retrieval`."""
    parser.add_argument("captions", type=Path, metavar="CAPTIONS.npy", help="vectors (M, size)")
    parser.add_argument("images", type=Path, metavar="IMAGES.npy", help="vectors (N, size)")
    parser.add_argument(
        "--image-of-caption",
        type=Path,
        metavar="FILE.npy",
        help="the row of each caption's image, from 0 (default: M / N per image, in turn)",
    )
    parser.add_argument(
        "--folds", type=int, default=1, help="mean over this number of equal test sets"
    )
    parser.add_argument(
        "--similarity",
        choices=["cosine", "dot", "euclidean"],
        default="cosine",
        help="of two vectors",
    )
    parser.add_argument(
        "--bank",
        type=Path,
        nargs=2,
        metavar=("CAPTIONS.npy", "IMAGES.npy"),
        help="vectors of training captions and images, to normalize cosines by a querybank",
    )
    parser.add_argument(
        "--inverse-temperature",
        type=float,
        metavar="B",
        help="of the bank; choose it on development data (default: 15)",
    )
    _add_items(parser, "ranks", "query")
    _add_scores(parser)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    for name in ("a", "b"):
        parser.add_argument(
            name,
            type=Path,
            metavar=f"{name}.csv",
            help="a file that --predictions or --ranks wrote",
        )
    _add_scores(parser)


def _add_sentences(parser: argparse.ArgumentParser) -> None:
    _add_tasks(parser)
    add_output(parser, [".txt"], "the file to write (default: standard output)")


def _add_items(parser: argparse.ArgumentParser, name: str, row: str) -> None:
    parser.add_argument(
        f"--{name}",
        dest="output_items",
        type=file_ending_in([".csv"]),
        metavar="FILE.csv",
        help=f"write one row per {row}, for `compare`{FOLDERS}",
    )


def _add_tasks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tasks",
        nargs="+",
        metavar="TASK",
        help="such as STS12, STSBenchmark or SICK (default: all seven)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        nargs="+",
        default=[],
        help="read the rated sentences from the folders of their unpacked archives (default: from "
        "the mirror folder that GROUNDVEC_MIRROR names, or downloaded to the cache)",
    )


def _add_scores(parser: argparse.ArgumentParser) -> None:
    written = "also write all columns as CSV, or the table as Markdown or LaTeX"
    add_output(parser, [".csv", ".md", ".tex"], written)


def main(arguments: argparse.Namespace) -> None:
    """Run the command of `groundvec evaluate`."""
    with extra("evaluate"):
        arguments.action(arguments)


def _ratings(arguments: argparse.Namespace) -> None:
    """Compare an encoder with people's ratings of sentence pairs."""
    from groundvec import evaluate
    from groundvec.data.ratings import TASKS
    from groundvec.results.schemas import RatedPairs
    from groundvec.runtime.progress import Progress

    captions = read_sentences(arguments.captions) if arguments.captions else []
    if arguments.captions and not captions:
        raise InputError(f"{arguments.captions} is empty: write one training caption per line")
    # Mistakes are found before the encoder is loaded, and before anything is downloaded.
    tasks = evaluate.checked_tasks(arguments.tasks or TASKS)
    for folder in arguments.folder:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder; name the folder of the unpacked archives")
    loaders = [(name, _load) for name in arguments.encoders]
    loaders += [(name, _load_baseline) for name in arguments.sentence_transformers]
    names = [name for name, _ in loaders]
    if not names or len({*names}) < len(names):
        raise InputError("name the encoders to rate, each once: a model, or a file of vectors")
    if len(names) > 1 and (arguments.output_items or captions):
        raise InputError(
            "--predictions and --captions are for one encoder: rate each alone, or leave them out"
        )
    # All are loaded before the first is rated, which takes minutes. The name of a file may be any
    # bytes, but the results are UTF-8.
    encoders = {printable(name): load(name) for name, load in loaders}
    is_single = len(encoders) == 1
    bar = Progress(encoders.items(), desc="rating", unit="encoders", disable=is_single)
    results = {
        name: evaluate.ratings(encode, tasks, arguments.folder, captions)
        for name, (encode, _) in bar
    }
    [device, *_] = [device for _, device in encoders.values()]
    if len(results) > 1:
        _write_encoders(evaluate.table(results), arguments.output, device)
        return
    [(name, result)] = results.items()
    no_pair_is_seen = "seen" not in result.scores or not result.scores["seen"].any()
    if captions and no_pair_is_seen:
        log.warning("no rated sentence is in %s: is it one caption per line?", arguments.captions)
    _write_items(arguments.output_items, result.items, RatedPairs)
    _write(result.scores, arguments.output, device, encoder=name)


def _load(name: str) -> tuple[Callable[[list[str]], "np.ndarray"], str]:
    """Return the function of a model, or of a file of vectors, and the device it computes on."""
    if Path(name).suffix.lower() == ".npy":
        from groundvec.evaluate import checked_vectors

        vectors = _read_array(Path(name))
        return lambda sentences: checked_vectors(vectors, name, len(sentences)), "cpu"
    from groundvec.encoder import SentenceEncoder

    model = SentenceEncoder(name)
    return lambda sentences: model.encode(sentences, show_progress_bar=True), model.device


def _load_baseline(name: str) -> tuple[Callable[[list[str]], "np.ndarray"], str]:
    """Return the function of a model of sentence-transformers, and the device it computes on."""
    from groundvec import baselines

    baseline = baselines.load("sentence-transformers", model=name)
    return baseline.encode, baseline.device


def _retrieval(arguments: argparse.Namespace) -> None:
    """Score the search for images by captions, and for captions by images."""
    from groundvec import evaluate
    from groundvec.results.schemas import FoundRanks

    def read(path: Path) -> "np.ndarray":
        """Read and check vectors, so that an error names the file."""
        return evaluate.checked_vectors(_read_array(path), str(path))

    captions = read(arguments.captions)
    images = read(arguments.images)
    bank = None
    if arguments.bank:
        bank = (read(arguments.bank[0]), read(arguments.bank[1]))
    image_of_caption = None
    if arguments.image_of_caption:
        image_of_caption = _read_array(arguments.image_of_caption)
    result = evaluate.retrieval(
        captions,
        images,
        image_of_caption,
        arguments.folds,
        arguments.similarity,
        bank,
        arguments.inverse_temperature,
    )
    inputs = {"captions": arguments.captions, "images_file": arguments.images}
    _write_items(arguments.output_items, result.items, FoundRanks)
    _write(result.scores, arguments.output, "cpu", **inputs)


def _compare(arguments: argparse.Namespace) -> None:
    """Test if two encoders differ: Williams' test or a paired bootstrap, with Holm's correction."""
    from groundvec import evaluate
    from groundvec.evaluation.score_table import comparison_texts
    from groundvec.results import frames
    from groundvec.results.schemas import FoundRanks, RatedPairs

    a = frames.read(arguments.a, RatedPairs, FoundRanks)
    b = frames.read(arguments.b, RatedPairs, FoundRanks)
    rows = evaluate.compare(a, b)
    text, note = comparison_texts(rows)
    names = {"file_a": printable(str(arguments.a)), "file_b": printable(str(arguments.b))}
    notes = [f"A: {names['file_a']}. B: {names['file_b']}.", note]
    _report(arguments.output, rows.assign(**names), text, notes, 1)


def _sentences(arguments: argparse.Namespace) -> None:
    """Write the sentences to encode, one per line."""
    from groundvec import evaluate
    from groundvec.data.ratings import TASKS

    lines = evaluate.sentences(arguments.tasks or TASKS, arguments.folder)
    text = "".join(f"{line}\n" for line in lines).encode()
    if arguments.output == STANDARD:
        # Not sys.stdout.buffer: with PYTHONUNBUFFERED it may write only a part of the bytes.
        with open(sys.stdout.fileno(), "wb", closefd=False) as output:
            output.write(text)
    else:
        files.write_bytes(arguments.output, text)
        show(f"written: {arguments.output}")


def _read_array(path: Path) -> "np.ndarray":
    """Read an array from a .npy file; nothing in it is executed.

    Raises:
        InputError: it is missing, has another form, or is larger than the file or the memory.
    """
    import numpy as np

    files.check_regular(path)
    try:
        # A memory map compares the size in the header with the file before anything is allocated.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        if not isinstance(array, np.ndarray):
            raise ValueError("it is an archive")
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist: name a .npy file, as numpy.save writes it"
        ) from None
    except (OSError, MemoryError):
        raise
    except Exception as error:  # its type depends on which byte of the header is wrong
        # NumPy's next sentence advises to execute the pickle.
        reason = " ".join(str(error).split()).partition(". ")[0][:200]
        raise InputError(
            f"{path} is not a .npy file of numbers ({reason}): write it with numpy.save"
        ) from None
    files.check_memory(path, array.nbytes)
    return np.array(array)


def _write_items(output: Path | None, items: "pd.DataFrame", form: Any) -> None:
    """Write the items of a result for `compare`, if there is a file for them."""
    from groundvec.results import frames

    if output:
        frames.write(output, items, form)
        show(f"written: {output}")


def _write(scores: "pd.DataFrame", output: Path, device: str, **inputs: Any) -> None:
    """Write and print scores as a table; a CSV file has the names of the inputs too."""
    from groundvec.evaluation import score_table
    from groundvec.provenance import provenance

    names = {column: printable(str(name)) for column, name in inputs.items()}
    numbers = scores.assign(**names, **provenance(device))
    labels = 2
    headlines = []
    if "definition" in scores:
        labels = 4
        headlines = score_table.quoted(scores)
    text = score_table.texts(scores)
    _report(output, numbers, text, score_table.notes(scores), labels, headlines)


def _write_encoders(table: "pd.DataFrame", output: Path, device: str) -> None:
    """Write and print the table of several encoders."""
    from groundvec.evaluation.score_table import DEFINITIONS, encoder_texts
    from groundvec.provenance import provenance

    notes = [
        "Pearson's r times 100. The best is marked if a paired test shows a difference to the "
        "second (p < 0.05, Holm's correction for the tasks).",
        "A year of STS: the mean of its subtasks, weighted by pairs. STS, weighted mean: the "
        "mean of the subtasks of all years, weighted by pairs.",
        *(f"{name}: {DEFINITIONS[name]}" for name in table["definition"].unique()),
    ]
    _report(output, table.assign(**provenance(device)), encoder_texts(table), notes, 1)


def _report(
    output: Path,
    numbers: "pd.DataFrame",
    text: "pd.DataFrame",
    notes: list[str],
    labels: int,
    headlines: Sequence[str] = (),
) -> None:
    """Write the numbers of a table as CSV, or its texts as Markdown or LaTeX; then print it.

    Args:
        labels: how many columns of the text, which come first, are not numbers.
        headlines: lines to print before the table.
    """
    from groundvec.evaluation.score_table import latex, markdown, printed

    lines = [*headlines, *printed(text, notes).split("\n")]
    if output == STANDARD:
        show(*lines)
        return
    # The file comes first: a pipe to `head` may end the program while it prints.
    if output.suffix.lower() == ".csv":
        files.write_csv(output, numbers.map(_cell))
    elif output.suffix.lower() == ".md":
        files.write_bytes(output, markdown(text, notes).encode())
    else:
        files.write_bytes(output, latex(text, notes, labels).encode())
    show(*lines, f"written: {output}")


def _cell(value: Any) -> Any:
    """Put an apostrophe before a text, such as a file's name, that a spreadsheet would execute."""
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
    return f"'{value}" if is_formula else value


# Each command's arguments, and the function whose docstring is its help.
COMMANDS: dict[str, tuple[Add, Action]] = {
    "ratings": (_add_ratings, _ratings),
    "retrieval": (_add_retrieval, _retrieval),
    "compare": (_add_compare, _compare),
    "sentences": (_add_sentences, _sentences),
}
