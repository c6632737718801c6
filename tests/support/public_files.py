"""Small files of drawn scenes, in the form of the public files that an experiment downloads."""

import io
import json
import re
import shutil
import tempfile
import zipfile
from itertools import cycle, islice
from pathlib import Path

import torch
import yaml
from PIL import Image
from torchvision.models import get_model

from groundvec.data import sts_archives
from groundvec.runtime.files import sha256
from reproduction import scenes
from reproduction.scenes.ratings import graded_pairs
from reproduction.sources.multi30k import DEV
from tests.support import karpathy_files, multi30k_files, pascal1k_files, sts_files, word_vectors
from tests.support.features import save_weights

TESTED = 10  # pictures for development, and as many for the test
PASCAL = 200  # ten of each of 20 categories
MULTI30K = DEV + 2 * TESTED  # after the training pictures


def write(folder, train, backbones, everything):
    """Make a project's mirror, and the images of Flickr30k, which no mirror has.

    Args:
        folder: a copy of the project. Its `resources/sources.yaml` names the weights that are made.
        train: training pictures of each data set; Pascal1K always has 160.
        backbones: the networks whose weights the experiment downloads, made with random weights.
        everything: whether Multi30k and InferSent are wanted too, which take longer.
    """
    mirror = folder / "mirror"
    with tempfile.TemporaryDirectory() as name:
        count = train + (MULTI30K if everything else 2 * TESTED)
        captions, images = scenes.generate(Path(name), count, 1)
        said = captions.groupby(["language", "image_id"], sort=False).caption.agg(list)
        pictures = []
        for row in images.itertuples():
            file = io.BytesIO()
            Image.open(row.path).convert("RGB").save(file, "JPEG")
            pictures.append((file.getvalue(), said["en", row.image_id], said["de", row.image_id]))
    splits = {
        "train": range(train),
        "val": range(train, train + TESTED),
        "test": range(train + TESTED, train + 2 * TESTED),
    }
    flickr8k(mirror / "flickr8k", pictures, splits)
    karpathy(mirror / "mscoco", pictures, splits)
    # To draw a picture takes a tenth of a second: Pascal1K has the same ones several times.
    pascal1k(mirror / "pascal1k", list(islice(cycle(pictures), PASCAL)))
    photos = folder / "data/flickr30k/flickr30k-images"
    photos.mkdir(parents=True)
    for number, (data, *_) in enumerate(pictures):
        (photos / f"{number}.jpg").write_bytes(data)
    if everything:
        multi30k(mirror / "multi30k", pictures, train)
    pairs = graded_pairs(1).sample(frac=1, random_state=1)
    rated = pairs[["sentence_a", "sentence_b", "rating"]]
    sts(mirror / "sts", rated.itertuples(index=False))
    texts = [*captions.caption, *pairs.sentence_a, *pairs.sentence_b]
    vectors(mirror, sorted({w for text in texts for w in re.findall(r"\w+|\S", text)}), everything)
    # A weights file carries its sum in its name, which random weights cannot have: in this copy of
    # the project the sources have another name. No check is switched off.
    sources = folder / "resources/sources.yaml"
    known = yaml.safe_load(sources.read_text("utf-8"))
    for backbone in backbones:
        published = next(key for key in known if key.startswith(f"weights/{backbone}-"))
        known[network(mirror / "weights", backbone)] = known.pop(published)
    sources.write_text(yaml.safe_dump(known), "utf-8")
    files = [path for path in mirror.rglob("*") if path.is_file()]
    sums = [f"{sha256(path)}  {path.relative_to(mirror)}\n" for path in files]
    (mirror / "SHA256SUMS").write_text("".join(sums))


def pack(path, files):
    """Write a zip archive of texts or bytes, by their names in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def flickr8k(folder, pictures, splits):
    """Flickr8k; as in Multi30k, but for the letters behind a number."""
    names = [f"{number}_a.jpg" for number in range(len(pictures))]
    text = {
        f"Flickr_8k.{split.replace('val', 'dev')}Images.txt": "\n".join(names[i] for i in numbers)
        for split, numbers in splits.items()
    }
    lines = [
        f"{names[i]}#{k}\t{caption}\n"
        for i in range(splits["test"].stop)
        for k, caption in enumerate(pictures[i][1])
    ]
    pack(folder / "Flickr8k_text.zip", {**text, "Flickr8k.token.txt": "".join(lines)})
    photos = {f"Flicker8k_Dataset/{names[i]}": pictures[i][0] for i in range(splits["test"].stop)}
    pack(folder / "Flickr8k_Dataset.zip", photos)


def karpathy(folder, pictures, splits):
    """MSCOCO, and Karpathy's file of Flickr30k."""
    coco = []
    flickr30k = []
    photos = {"train2014": {}, "val2014": {}}
    for split, numbers in splits.items():
        for i in numbers:
            entry = karpathy_files.coco_entry(i, split, *pictures[i][1])
            path = f"{entry['filepath']}/{entry['filename']}"
            photos[entry["filepath"]][path] = pictures[i][0]
            coco.append(entry)
            own = {key: entry[key] for key in ("split", "sentences")}
            flickr30k.append({"filename": f"{i}.jpg", **own})
    for name, files in photos.items():
        pack(folder / f"{name}.zip", files)
    files = {"coco": coco, "flickr30k": flickr30k}
    json_files = {f"dataset_{k}.json": json.dumps({"images": v}) for k, v in files.items()}
    pack(folder / "caption_datasets.zip", json_files)


def pascal1k(folder, pictures):
    """Pascal1K: the page, and its images."""
    rows = []
    for number, (data, english, _) in enumerate(pictures):
        path = folder / "images" / f"category{number // 10}" / f"{number}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        rows.append(pascal1k_files.row(f"{path.parent.name}/{path.name}", *english))
    pascal1k_files.write(folder, pascal1k_files.html("".join(rows)))


def multi30k(folder, pictures, train):
    """Multi30k, with ten pairs to translate for development and ten for the test."""
    names = [f"{number}.jpg" for number in range(train + MULTI30K)]
    described = {"train": names[:train], "val": names[train:-TESTED], "test_2016": names[-TESTED:]}
    translated = {"train": names[:train], "val": names[train : train + TESTED]}
    translated |= {"test_2016_flickr": names[-TESTED:]}
    translated |= {"test_2017_flickr": [], "test_2018_flickr": []}

    def sentence(name, language, k=1):
        return pictures[int(name.removesuffix(".jpg"))][1 + ("en", "de").index(language)][k - 1]

    with tempfile.TemporaryDirectory() as root:
        multi30k_files.small(Path(root), described, translated, sentence)
        shutil.make_archive(str(folder / "multi30k"), "zip", root)


def sts(folder, pairs=None):
    """STS 2012-2016, STS-B and SICK: twelve of these pairs a file."""
    with tempfile.TemporaryDirectory() as root:
        sts_files.write(Path(root), sts_files.small(True, pairs))
        for name, archive in sts_archives.PUBLIC.items():
            stem, _, suffix = archive.partition(".")
            form = {"zip": "zip", "tar.gz": "gztar"}[suffix]
            shutil.make_archive(str(folder / stem), form, root, name)


def vectors(mirror, words, infersent):
    """Write random vectors in GloVe's form, and a random InferSent over vectors of 300 numbers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        units = 2048 if infersent else 1
        word_vectors.infersent(folder, 1, units, words=words, dimensions=300)
        lines = [line.split(" ") for line in (folder / "v.txt").read_text("utf-8").splitlines()]
        for archive, sizes in {"6B": (50, 100, 200, 300), "840B.300d": (300,)}.items():
            members = {
                f"glove.6B.{n}d.txt" if archive == "6B" else f"glove.{archive}.txt": "\n".join(
                    " ".join(line[: n + 1]) for line in lines
                )
                for n in sizes
            }
            pack(mirror / f"glove/glove.{archive}.zip", members)
        (mirror / "infersent").mkdir()
        shutil.move(folder / "i.pkl", mirror / "infersent/infersent1.pkl")


def network(folder, backbone):
    """Write random weights of a network of torchvision; returns their name in a mirror."""
    torch.manual_seed(1)
    folder.mkdir(parents=True, exist_ok=True)
    return f"weights/{save_weights(get_model(backbone), folder, backbone).name}"
