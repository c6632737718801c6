"""Files from strangers: their kind, their depth and their unpacked size."""

import gzip
import os
import zipfile

import pytest

from groundvec.cli.sentences import read_sentences
from groundvec.data import dataset, ratings
from groundvec.data.archives import Files, unpack
from groundvec.features import backbones, graphs, images, store
from groundvec.model.stored import Weights
from groundvec.results import frames
from groundvec.runtime.errors import InputError
from groundvec.runtime.files import (
    cache,
    check_regular,
    new_folder,
    read_json,
    read_regular,
    sha256,
)
from groundvec.sources import flickr8k, table
from reproduction.sources import karpathy, multi30k, parallel, pascal1k
from reproduction.text import treebank
from reproduction.text.vector_files import read_vectors
from reproduction.translation import nbest
from tests.support.limits import allocates_less_than
from tests.support.refusals import refused

BOMB = 2**26  # bytes; gzip packs them into 65 kB


# Only regular files are opened

LARGE = [
    read_json,
    Weights,
    images.load,
    lambda path: nbest.read(path, 1),
    lambda path: graphs.read(path, "0" * 64, None, 3),
]


@pytest.mark.parametrize(
    "read",
    [
        *LARGE,
        sha256,
        lambda path: store.read(path, ["a"]),
        pascal1k.image_ids,
        lambda path: ratings._columns(path, 1, 1, rating=0),
    ],
)
@pytest.mark.parametrize("kind", ["FIFO", "device", "folder"])
def test_only_regular_files_are_opened(tmp_path, read, kind):
    path = tmp_path / "a"
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else fifo)  # a link to it is no file either
    with refused("is a folder, a FIFO or a device: put the file itself"):
        read(path)


def test_a_file_is_read_up_to_its_bound_and_to_the_memory(tmp_path):
    (tmp_path / "a").write_bytes(b"1234")
    assert read_regular(tmp_path / "a", 4) == b"1234"
    with refused(r"a holds more than 0 MiB, too much for a file of its"):
        read_regular(tmp_path / "a", 3)
    os.truncate(tmp_path / "a", 2**43)  # a file of holes takes no place on the disk
    with refused(r"a needs 8,192\.0 GiB of memory"):
        read_regular(tmp_path / "a", 2**60)


@pytest.mark.parametrize(
    "read",
    [
        *LARGE,
        read_sentences,
        frames.read_csv,
        lambda path: table.read(path, path.parent),
        lambda path: backbones.load("efficientnet_lite0", weights_file=path),
        lambda path: check_regular(path, 2**20),
    ],
)
def test_a_sparse_file_is_not_read(tmp_path, read):
    with (tmp_path / "a").open("wb") as file:
        file.truncate(2**43)
    with refused(r"a holds more than [0-9,]+ MiB"):
        read(tmp_path / "a")


# How text is stored

TREES = "# parser = p\n# text = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
PAIR = "1\tÉn\tZwo\t3.5\tx\n"
READERS = {  # the content of a file, and the function that reads it
    "a.json": ('{"a":\n 1}\n', read_json),
    "a.vec": ("2 2\ndög 1 2\ncat 3 4\n", lambda path: read_vectors(path, ["dög", "cat"])),
    "glove.txt": ("dög 1 2\ncat 3 4\n", lambda path: read_vectors(path, ["dög", "cat"])),
    "trees.gz": (TREES, treebank.read),
    "lists.txt": ("0 ||| Jä. ||| ||| 1\n", lambda path: nbest.read(path, 1)),
    "lines.txt": ("A dög.\nA cat.\n", read_sentences),
    "table.csv": (
        'image,caption\na,"A\ndög"\nb,B\nc,C\n',
        lambda path: table.read(path, path.parent)[0],
    ),
    "ratings.csv": (
        "task,subtask,split,sentence_a,sentence_b,rating\nx,y,test,Ä,B,3\n",
        ratings.read_ratings,
    ),
    "sick.txt": (PAIR, lambda path: ratings._columns(path, 5, 5, a=0, b=1)),
    "captions.csv": ("image_id,language,split,caption\na,en,test,Ä\n", dataset.read_captions),
    "parallel.csv": (
        "split,image_id,en,de\ntest,,Ä,B\n",
        lambda path: parallel.read(path, "test", "en", "de"),
    ),
    "Flickr_8k.testImages.txt": ("ä.jpg\nb.jpg\n", lambda p: Files(p.parent, "x").lines(p.name)),
    "page.html": (
        '<table><tr><td><img src="a/b.jpg"><td><table><tr><td>Ä dog.</table></table>\n',
        lambda path: pascal1k._rows(path).drop(columns="where"),
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_a_mark_at_the_beginning_and_the_ends_of_lines_are_no_text(tmp_path, name):
    content, read = READERS[name]
    found = []
    for encoding in ("utf-8", "utf-8-sig"):
        # Words of GloVe hold a carriage return.
        for end in ("\n", "\r\n") if name in ("a.vec", "glove.txt") else ("\n", "\r\n", "\r"):
            data = content.replace("\n", end).encode(encoding)
            (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
            found.append(str(read(tmp_path / name)))
    assert len(set(found)) == 1


@pytest.mark.parametrize("name", [name for name in READERS if "csv" not in name])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_text_in_another_encoding_is_refused(tmp_path, name, encoding):
    content, read = READERS[name]
    if name in ("page.html", "a.json"):  # which may say how they are encoded
        return
    data = content.replace("a", "ä").encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with refused(r"line \d is (not UTF-8|UTF-16 or no text)"):
        read(tmp_path / name)


# JSON


def test_json_has_no_endless_levels_and_no_halves_of_surrogate_pairs(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(100_000 * "[" + 100_000 * "]")
    with refused("is not JSON"):
        read_json(path)
    path.write_text(r'{"name": "\ud83d\ude00"}')
    assert read_json(path) == {"name": "\U0001f600"}
    for text in (r'{"name": "\ud800"}', r'{"\udc80": 1}'):
        path.write_text(text)
        with refused("surrogates not allowed"):
            read_json(path)


def test_control_characters_in_errors_are_escaped():
    hostile = "a\x1b[2J\x07\r\u202eb\n\ud800\x9b.csv"
    message = str(InputError(f"{hostile} is bad", "second\tline", "Schöne Grüße \U0001f600"))
    assert message == (
        "a\\x1b[2J\\x07\\r\\u202eb\\n\\ud800\\x9b.csv is bad\n"
        "  second\\tline\n"
        "  Schöne Grüße \U0001f600"
    )


# Packed files


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    """By kind of line: a gzipped file that is far larger than it looks."""
    folder = tmp_path_factory.mktemp("bombs")
    lines = {
        "blank": b"\n",
        "hypotheses": b"0 ||| Ja. ||| ||| 1\n",
        "sentences": b"# parser = p\n# text = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    }
    for kind, line in lines.items():
        (folder / f"{kind}.gz").write_bytes(gzip.compress(line * (BOMB // len(line))))
    with zipfile.ZipFile(folder / "multi30k.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "blank.gz", "task2/raw/train.1.en.gz")
        archive.writestr("task2/image_splits/train_images.txt", b"\n" * BOMB)
    return folder


@pytest.mark.parametrize(
    "read",
    [
        lambda folder: treebank.read(folder / "sentences.gz"),
        lambda folder: nbest.read(folder / "hypotheses.gz", 1),
        lambda folder: Files(folder / "multi30k.zip", "x").lines("raw/train.1.en.gz"),
        lambda folder: multi30k.read_flickr30k(folder / "multi30k.zip", folder),
    ],
)
def test_decompression_bombs_are_refused(bombs, read):
    message = r"holds more than 1\d MiB, too much for a file of its kind"
    with allocates_less_than(BOMB), refused(message):
        read(bombs)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize(
    "read",
    [
        lambda path: unpack(path, path.parent / "out"),
        lambda path: flickr8k.read(path.parent, path),
        lambda path: karpathy.read("photos", f"{path}/a"),
        lambda path: read_vectors(path, ["a"]),
        lambda path: store.read(path.rename(path.with_suffix(".npz")), ["a"]),
    ],
)
def test_members_that_unpack_to_far_more_than_their_sizes_say_are_not_opened(
    tmp_path, read, method
):
    """Python's reader unpacks a block of BZIP2 or LZMA as a whole, before it can be stopped."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a", bytes(10**6))
    with refused(rf"its member a is packed by method {method}: pack it"):
        read(tmp_path / "a.zip")


# How a folder is written


@pytest.mark.parametrize("home", ["/proc/none", "~nobody"])
def test_without_a_home_the_cache_is_a_folder_for_now(monkeypatch, caplog, home):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", home)
    folder = cache()
    assert folder.is_dir() and cache() == folder and not list(folder.iterdir())
    assert caplog.text.count("set XDG_CACHE_HOME, or nothing is kept") == 1


def test_a_new_folder_is_whole_or_not_there(tmp_path):
    name = 255 * "x"  # the longest that a file system takes
    with new_folder(tmp_path / "deep" / name) as new:
        (new / "inner").mkdir()
        (new / "inner" / "a").write_text("whole")
        assert not (tmp_path / "deep" / name).exists()
    assert (tmp_path / "deep" / name / "inner" / "a").read_text() == "whole"
    with pytest.raises(RuntimeError), new_folder(tmp_path / "deep" / "b") as new:
        (new / "a").write_text("a part")
        raise RuntimeError
    assert [path.name for path in (tmp_path / "deep").iterdir()] == [name]


@pytest.mark.parametrize("kind", ["file", "folder", "broken link"])
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_new_folder_replaces_nothing_and_follows_no_link(tmp_path, kind, when):
    path = tmp_path / "new"
    make = {
        "file": path.touch,
        "folder": lambda: (path / "theirs").mkdir(parents=True),
        "broken link": lambda: path.symlink_to(tmp_path / "elsewhere"),
    }[kind]
    if when == "before":
        make()
    with refused("new already exists: name another"), new_folder(path) as n:
        assert when == "meanwhile"
        (n / "ours").touch()
        make()
    assert list(tmp_path.iterdir()) == [path]
    assert not (path / "ours").exists()
