"""Write docs/performance.md and its drawings from benchmarks/results/*.json; measures nothing.

The prose is in docs/performance.template, where `$name` is a value or a table from here. What was
not measured says so.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "docs")]

from drawing import svg  # noqa: E402
from measure import PACKAGES, number, table  # noqa: E402

from groundvec.render.style import BLUE, PAGE, VERMILLION, styled  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
PAGE_FILE = ROOT / "docs" / "performance.md"
STAGES = (
    "training",
    "million",
    "features",
    "search",
    "retrieval",
    "ratings",
    "encoding",
    "workflow",
    "growth",
)

# What the calculations beside the measurements assume.
MSCOCO = 123_287  # images
CHARACTERS = 1_739_658  # of all 29,469 sentences of STS and SICK together, as tokenised
SNAPSHOTS = 15  # kept of a training of 32 epochs
IMAGES = 100_000_000
CAPTIONS_PER_IMAGE = 5
WIDTH = 2048  # features of an image
JPEG = 163e3  # bytes of a picture: MSCOCO's 13 GB for 82,783 training images
NETWORK = 1e9 / 8  # bytes a second
FORWARD = 10 * 2 * 11.5e9  # operations of ResNet-152 on ten crops
GPU = 0.5 * 67e12  # operations a second: half of an H100's peak in float32, not measured
EPOCHS = 32
TORCH_GB = 0.32  # the memory of its own that a process has after `import torch`
SCORES_PER_BLOCK = 2**26  # as in groundvec.evaluation.ranks

PROCESSOR = ("generation", "instructions")  # not of older results
CONTESTANTS = ("ours", "plain", "floor")
Result = dict[str, Any]


def read() -> dict[str, Result]:
    """The results by stage; those that are not there have no rows."""
    return {
        stage: json.loads(path.read_text()) if path.exists() else {"rows": []}
        for stage in STAGES
        for path in [RESULTS / f"{stage}.json"]
    }


def page(results: dict[str, Result]) -> str:
    """The page, in Markdown."""
    template = Template((ROOT / "docs" / "performance.template").read_text())
    tables = {stage: measured(stage, result) for stage, result in results.items()}
    return template.substitute(tables | facts(results) | hundred_million(results))


def measured(stage: str, result: Result) -> str:
    """One stage's table, and under it what it was measured by and on."""
    if not result["rows"]:
        return f"Not measured: `python benchmarks/{stage}.py`."
    machine = result["machine"]
    of = TABLES.get(stage, table)(result["rows"])
    processor = ", ".join(machine[key] for key in ("processor", *PROCESSOR) if machine.get(key))
    versions = ", ".join(
        f"{name} {machine[name]}" for name in ("python", *PACKAGES) if name in machine
    )
    return (
        f"{of}\n\n`{result['command']}` on {result['date']} at commit `{result['commit']}`: "
        f"{processor}, {machine['memory_gb']} GB, GPU: {machine['gpu'] or 'none'}; {versions}."
    )


def growth_table(rows: list[Result]) -> str:
    """A row a case: the largest size, its time and memory, and the exponent."""
    lines = ["| what | against | largest | time, s | memory, MB | exponent of the time |"]
    lines += ["|---|---|--:|--:|--:|--:|"]
    for row in rows:
        size, seconds, memory = row["points"][-1]
        cells = [row["what"], row["against"], f"{size:,}", number(seconds), number(memory)]
        lines.append(f"| {' | '.join(cells)} | {row['exponent']:.2f} |")
    return "\n".join(lines)


def search_table(rows: list[Result]) -> str:
    """Time and recall by the number of crops."""
    recalls = [
        f"{way}_r{k}" for way in ("caption_to_image", "image_to_caption") for k in (1, 5, 10)
    ]
    lines = [
        "| crops of a picture | s a picture, first time | s a search, again | R@1 | R@5 | R@10 "
        "| captions by pictures: R@1 | R@5 | R@10 |",
        f"|---|{'--:|' * 8}",
    ]
    for first, again in zip(rows[::2], rows[1::2], strict=True):
        times = [number(each["ours"]) for each in (first, again)]
        cells = [str(first["crops"]), *times, *(f"{first[column]:.1f}" for column in recalls)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def encoding_table(rows: list[Result]) -> str:
    """A row for each that is beside ours: sentences a second, and the ratio of the times."""
    lines = [
        "| ours, beside another | ours | the other | floor | time, ours / the other | threads |"
    ]
    lines += [f"|---|{'--:|' * 5}"]
    for row in rows:
        if row["unit"] == "s for 1,000 sentences":
            rates = [number(1000 / row[key]) if row[key] else number(None) for key in CONTESTANTS]
            cells = [row["what"], *rates, number(row["ratio_plain"]), str(row["threads"])]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def million_table(rows: list[Result]) -> str:
    """A row a case, and how many times faster or slower it is than in memory."""
    lines = ["| what | unit | mapped | in memory | speed, times that in memory |"]
    lines += ["|---|---|--:|--:|--:|"]
    for row in rows:
        numbers = (row["ours"], row["plain"], 1 / row["ratio_plain"])
        lines.append(f"| {' | '.join([row['what'], row['unit'], *map(number, numbers)])} |")
    return "\n".join(lines)


TABLES = {
    "search": search_table,
    "growth": growth_table,
    "encoding": encoding_table,
    "million": million_table,
}


def find(result: Result, start: str, **wanted: Any) -> Result | None:
    """The first row whose case begins like this."""
    rows: list[Result] = result["rows"]
    for row in rows:
        if row["what"].startswith(start) and all(row.get(k) == v for k, v in wanted.items()):
            return row
    return None


def seconds(result: Result, start: str, **wanted: Any) -> float | None:
    """What the first row whose case begins like this takes for a unit."""
    row = find(result, start, **wanted)
    return row["ours"] if row else None


def digits(row: Result | None) -> str:
    """The smallest cosine of a row, with six digits."""
    return f"{row['cosine']:.6f}" if row and "cosine" in row else number(None)


def times(value: float | None, factor: float) -> float | None:
    """The product; nothing of what was not measured."""
    return None if value is None else value * factor


def facts(results: dict[str, Result]) -> dict[str, str]:
    """What follows from the measurements by multiplication."""
    features, rated = results["features"], results["ratings"]
    hours = {
        "mscoco_gpu": times(seconds(features, "resnet152", device="cuda"), MSCOCO / 3600),
        "mscoco_cpu": times(seconds(features, "resnet152", device="cpu"), MSCOCO / 3600),
        "ratings_gru": times(seconds(rated, "gru"), SNAPSHOTS * CHARACTERS / 3.6e6),
        "ratings_lstm": times(seconds(rated, "lstm"), SNAPSHOTS * CHARACTERS / 3.6e6),
    }
    encoding = results["encoding"]
    start = find(encoding, "ten sentences")
    goals = {
        "goal_gru": find(encoding, "flickr8k-v3 beside nn.GRU"),
        "goal_onnx": find(encoding, "flickr8k-v3 beside ONNX"),
        "goal_v1": find(encoding, "flickr8k-v1 beside nn.GRU"),
        "goal_rounded": find(encoding, "flickr8k-v1, products in bfloat16"),
    }
    trees = [find(results["training"], f"a step of {name}") for name in ("DT-RNN", "SDT-RNN")]
    of_bag = find(results["training"], "a step of a bag")
    lstm, lite = find(rated, "lstm"), find(features, "efficientnet_lite0")
    half, small = (
        find(features, "efficientnet_lite0, bfloat16"),
        find(results["training"], "a step of gru 128"),
    )
    million = results["million"]
    bag, ranked = find(million, "a step, bag"), find(million, "200 captions and")
    searches = results["search"]["rows"]
    two_crops = [row for row in searches if row["what"].startswith("2 crops")] or [{}, {}]
    return {
        **{
            f"million_{name}": number((bag or {}).get(f"{name}_gb")) for name in ("own", "resident")
        },
        "million_step": number(1 / bag["ratio_plain"] if bag else None),
        "million_evaluation": number(1 / ranked["ratio_plain"] if ranked else None),
        "goal_trees": " and ".join(number(each["ratio_floor"]) for each in trees if each)
        or number(None),
        "goal_bag": number(of_bag["ratio_floor"] if of_bag else None),
        "million_memory": f"{number(bag['own_gb'])} GB, and {number(bag['mapped_gb'])} GB that the "
        "system may take back"
        if bag
        else number(None),
        "goal_gru128": number(small["ratio_floor"] if small else None),
        "goal_features_half": number(half["ratio_floor"] if half else None),
        "fold_cosine": digits(lite),
        "half_cosine": digits(half),
        "search_one": number(seconds(results["search"], "1 crop")),
        "search_lost": number(
            many["caption_to_image_r10"] - two_crops[0]["caption_to_image_r10"]
            if (many := find(results["search"], "10 crops, first")) and two_crops[0]
            else None
        ),
        "search_first": number(two_crops[0].get("ours")),
        "search_again": number(two_crops[1].get("ours")),
        **{name: number(value) for name, value in hours.items()},
        "goal_lstm": number(lstm["ratio_plain"] if lstm else None),
        "goal_features": number(lite["ratio_floor"] if lite else None),
        **{name: number(1 / row["ratio_plain"] if row else None) for name, row in goals.items()},
        "start_ratio": number(start["ratio_floor"] if start else None),
        "start_ours": number(start["ours"] if start else None),
        "start_floor": number(start["floor"] if start else None),
        "mscoco": f"{MSCOCO:,}",
        "characters": f"{CHARACTERS:,}",
        "snapshots": str(SNAPSHOTS),
    }


def hundred_million(results: dict[str, Result]) -> dict[str, str]:
    """The values of the section on a hundred million captioned images."""
    extraction = seconds(results["features"], "resnet152", device="cpu")
    training = results["training"]["rows"]
    million = results["million"]["rows"]
    retrieval = find(results["growth"], "retrieval")
    machine = results["features"].get("machine") or {"memory_gb": 0}
    memory = machine["memory_gb"] * 1e9
    captions = CAPTIONS_PER_IMAGE * IMAGES

    a_caption = None
    if million:  # less what any process has that imports torch
        a_caption = (
            1e9 * (million[0]["own_gb"] - TORCH_GB) / million[0]["images"] / CAPTIONS_PER_IMAGE
        )
    per_core = 32 / training[0]["ours"] if training else None  # pairs a second
    ranking = retrieval["ours"] * (IMAGES / retrieval["points"][-1][0]) ** 2 if retrieval else None
    day, year = 24 * 3600, 365.25 * 24 * 3600
    values: dict[str, float | None] = {
        "pictures_tb": JPEG * IMAGES / 1e12,
        "network_hours": JPEG * IMAGES / NETWORK / 3600,
        "float32_gb": 4 * WIDTH * IMAGES / 1e9,
        "float16_gb": 2 * WIDTH * IMAGES / 1e9,
        "extraction_core_years": times(extraction, IMAGES / year),
        "extraction_gpu_hours": FORWARD / GPU * IMAGES / 3600,
        "captions_gb": times(a_caption, captions / 1e9),
        "ranking_years": times(ranking, 1 / year),
        "block_gb": 4 * max(SCORES_PER_BLOCK, IMAGES) / 1e9,
        "epoch_core_days": per_core and captions / per_core / day,
        "training_core_years": per_core and EPOCHS * captions / per_core / year,
        "memory_gb": memory / 1e9,
        "a_caption": a_caption,
        "full_captions": a_caption and memory / a_caption / CAPTIONS_PER_IMAGE / 1e6,
        "gpu_share": 100 * GPU / 67e12,
        "jpeg_kb": JPEG / 1e3,
        "network_gbit": NETWORK * 8 / 1e9,
    }
    return {name: number(value) for name, value in values.items()}


@styled
def ratios(results: dict[str, Result]) -> Figure:
    """How many times the floor each case takes, ours and plain, a line a case."""
    rows = [row for stage in STAGES[:-1] for row in results[stage]["rows"] if row["floor"]]
    figure = Figure(figsize=(PAGE, 0.6 + 0.25 * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    axes.scatter([row["ratio_floor"] for row in rows], places, color=BLUE, label="ours", zorder=3)
    plain = [(row["plain"] / row["floor"], y) for y, row in enumerate(rows) if row["plain"]]
    x, y = zip(*plain, strict=True) if plain else ((), ())
    axes.scatter(x, y, color=VERMILLION, marker="s", label="plain")
    axes.axvline(1, color="0.4")
    axes.set_yticks(places, [f"{row['stage']}: {row['what']}" for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("time as a multiple of the floor's")
    axes.legend()
    return figure


@styled
def growth(results: dict[str, Result]) -> Figure:
    """Time and memory against size, a panel a case, all axes logarithmic."""
    rows = results["growth"]["rows"]
    lines = max(1, -(-len(rows) // 2))
    figure = Figure(figsize=(PAGE, 2 * lines), layout="constrained")
    panels = figure.subplots(lines, 2, squeeze=False).flat
    for row, axes in zip(rows, panels, strict=False):
        draw_growth(axes, row)
    for axes in panels:  # those left
        axes.set_visible(False)
    return figure


def draw_growth(axes: Axes, row: Result) -> None:
    """One panel: time on the left, memory on the right where it was measured."""
    sizes, seconds, memory = zip(*row["points"], strict=True)
    axes.set_title(f"{row['what']}: exponent {row['exponent']:.2f}")
    axes.set_xlabel(row["against"])
    axes.loglog(sizes, seconds, "o-", color=BLUE)
    axes.set_ylabel("seconds", color=BLUE)
    pairs = [(axes, seconds)]
    if all(memory):
        right = axes.twinx()
        right.semilogy(sizes, memory, "s--", color=VERMILLION)
        right.set_ylabel("MB", color=VERMILLION)
        right.grid(visible=False)
        pairs.append((right, memory))
    for side, values in pairs:
        side.yaxis.set_major_locator(FixedLocator([min(values), max(values)]))
        side.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        side.minorticks_off()
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])


def files() -> dict[Path, str]:
    """What this program writes."""
    results = read()
    images = ROOT / "docs" / "images"
    drawings: dict[str, Callable[[dict[str, Result]], Figure]] = {
        "performance-ratios.svg": ratios,
        "performance-growth.svg": growth,
    }
    return {PAGE_FILE: page(results)} | {
        images / name: svg(draw(results)) for name, draw in drawings.items()
    }


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for path, content in files().items():
        path.write_text(content)
