"""Pascal1K: a small page of the published one's form, and its images from a server on this machine.

The real page could not be had when this was written.
"""

import hashlib
import io
import logging
import random
import re

import pandas as pd
import pytest
import yaml
from PIL import Image

from groundvec.data import dataset, download
from groundvec.runtime.errors import InputError
from reproduction.sources import pascal1k
from tests.support.folders import tree
from tests.support.pascal1k_files import IDS, PAGE, SENTENCES, row, write
from tests.support.refusals import refused
from tests.support.workflow import copy_project, snakemake


def read(tmp_path, text=PAGE, seed=7):
    return pascal1k.read("photos", write(tmp_path, text), seed)


# --- The page -------------------------------------------------------------------------------------


def test_a_page_of_the_published_form(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    captions, images = read(tmp_path)
    dataset.check(captions, images)
    assert list(images.columns) == dataset.IMAGE_COLUMNS
    assert images.image_id.tolist() == IDS
    assert images.path.tolist() == [f"photos/{name}" for name in IDS]
    assert captions.groupby("image_id").caption.agg(list).to_dict() == SENTENCES
    train = images.image_id[images.split == "train"].iloc[0]
    first = captions[captions.image_id == train].iloc[0]
    assert tuple(first) == (train, "en", "train", f"Number 0 of {train}.")
    assert "96 captions of 16 train, 2 dev and 2 test images" in caplog.text


@pytest.mark.parametrize(
    "change",
    [
        lambda page: re.sub("</(td|tr)>", "", page),
        lambda page: re.sub(r"<(/?)(table|tr|td)", lambda tag: tag[0].upper(), page),
        lambda page: re.sub(r'<img src="(.*?)">', r"<img alt='' src=' \1 '/>\n", page),
        lambda page: page.replace("<tr><td> ", "<tr>\n<td>&nbsp;\t").replace(" </td>", "\n </td>"),
        lambda page: page.replace("<tr><td> ", "<!-- a sentence --><tr><td><!-- here --> "),
    ],
)
def test_how_a_page_is_written_by_hand_makes_no_difference(tmp_path, change):
    page = change(PAGE)
    assert page != PAGE
    expected = read(tmp_path)
    for found, wanted in zip(read(tmp_path, page), expected, strict=True):
        pd.testing.assert_frame_equal(found, wanted)


@pytest.mark.parametrize(
    "written, sentence",
    [
        ("Salt &amp; &quot;pepper&quot;: isn&#39;t it&#x3F;", 'Salt & "pepper": isn\'t it?'),
        ("A <b>br</b>own dog<br>runs.<BR/>Fast.", "A brown dog runs. Fast."),
        ("A caf&eacute; with a na\u00efve dog", "A caf\u00e9 with a na\u00efve dog"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_sentences_are_as_a_browser_shows_them(tmp_path, written, sentence, encoding):
    page = write(tmp_path, PAGE.replace("Number 3 of dog/4.jpg.", written), encoding)
    captions, _ = pascal1k.read("photos", page, 1)
    assert captions.caption[captions.image_id == "dog/4.jpg"].iloc[3] == sentence


# --- The split ------------------------------------------------------------------------------------


def test_a_thousand_images_are_drawn_800_100_100_the_same_number_of_each_category():
    ids = pd.Series([f"category{c}/{k}.jpg" for c in range(20) for k in range(50)])
    split = pascal1k.draw_split(ids, 1)[ids]
    of_each = split.groupby(split.index.str.split("/").str[0]).value_counts().unstack()
    assert len(of_each) == 20
    assert of_each[["train", "dev", "test"]].drop_duplicates().to_numpy().tolist() == [[40, 5, 5]]
    # Images are ordered by their hashes, as `printf '1 category0/0.jpg' | sha256sum` prints them.
    first = split[[f"category0/{k}.jpg" for k in range(50)]]
    order = sorted(first.index, key=lambda name: hashlib.sha256(f"1 {name}".encode()).digest())
    assert first[order[:5]].tolist() == ["dev"] * 5
    assert first[order[5:10]].tolist() == ["test"] * 5
    shuffled = random.Random(0).sample(ids.tolist(), len(ids))
    assert pascal1k.draw_split(pd.Series(shuffled), 1)[ids].tolist() == split.tolist()
    # Another seed is another draw: a tenth of the old test set is expected in the new one.
    other = pascal1k.draw_split(ids, 2)[ids]
    assert 0 < ((split == "test") & (other == "test")).sum() < 30


# --- Pages that cannot be used --------------------------------------------------------------------


@pytest.mark.parametrize(
    "page, error",
    [
        ("", "index.html has no rows with images: it is another page; get the right one"),
        (
            PAGE.replace(row("dog/2.jpg", *SENTENCES["dog/2.jpg"]), row("dog/2.jpg")),
            "line 31: the image dog/2.jpg has no sentences;",
        ),
        (PAGE.replace('"dog/2.jpg"', '"./dog/1.jpg"'), "line 31: the image dog/1.jpg is listed tw"),
        (PAGE.replace('"dog/', '"http://x.org/dog/'), "line 7 (and 9 more): the image 'http://x.o"),
        *(
            (
                PAGE.replace('"dog/2.jpg"', f'"{address}"'),
                f"index.html line 31: the image {address!r} is not category/name.jpg below",
            )
            for address in (
                "dog/%2e%2e%2f%2e%2e%2fx.jpg",
                "2.jpg",
                "dog%00/2.jpg",
                "..\\2.jpg",
            )
        ),
    ],
)
def test_a_malformed_page_is_refused_in_one_line(tmp_path, page, error):
    with refused(re.escape(error)):
        read(tmp_path, page)


# --- The images -----------------------------------------------------------------------------------


def jpeg(k):
    file = io.BytesIO()
    Image.new("RGB", (60, 50), (10 * k, 90, 50)).save(file, "JPEG")
    return file.getvalue()


JPEGS = {name: jpeg(k) for k, name in enumerate(IDS)}


@pytest.fixture
def site(server):
    """A server of the page and its images alone."""
    server.content = None
    server.others = {f"/sentences/{name}": content for name, content in JPEGS.items()}
    server.others["/sentences/"] = PAGE.encode()
    server.url = f"http://127.0.0.1:{server.server_port}/sentences/"
    return server


def fetch(site, folder, mirror=None, names=IDS):
    download.fetch_images(names, [site.url], folder, "pascal1k/images", mirror)


def test_the_images_of_a_page_are_downloaded_once(tmp_path, site):
    page = PAGE.replace('"dog/4.jpg"', '"potted%20plant/4.jpg"').replace("dog/", "potted plant/")
    site.others = {name.replace("/dog/", "/potted plant/"): c for name, c in site.others.items()}
    names = pascal1k.image_ids(write(tmp_path, page))
    fetch(site, tmp_path / "images", names=names)
    expected = {name.replace("dog/", "potted plant/"): c for name, c in JPEGS.items()}
    assert tree(tmp_path / "images") == expected
    fetch(site, tmp_path / "images", names=names)
    assert len(site.paths) == 20  # existing images are not requested again


def test_images_that_fail_are_named_and_the_others_kept(tmp_path, site, caplog):
    for name in ("dog/4.jpg", "cat/12.jpg", "cat/15.jpg", "cat/18.jpg"):
        del site.others[f"/sentences/{name}"]
    site.others["/sentences/dog/1.jpg"] = b"<html>Please log in.</html>"
    with pytest.raises(InputError) as caught:
        fetch(site, tmp_path)
    message = str(caught.value)
    assert message.startswith("5 of 20 images cannot be fetched; the log names them. The first: ")
    for part in (
        "what came for pascal1k/images/dog/1.jpg is no JPEG picture",
        f"{tmp_path}/dog/1.jpg; then run again, which keeps",
    ):
        assert part in message
    assert "images/cat/18.jpg is missing" in caplog.text
    assert len(tree(tmp_path)) == 15
    (tmp_path / "dog/1.jpg").write_bytes(b"mine")
    with refused(re.escape(f"{tmp_path}/dog/1.jpg is no JPEG picture: de")):
        fetch(site, tmp_path)
    assert (tmp_path / "dog/1.jpg").read_bytes() == b"mine"


def test_a_missing_address_is_requested_once_and_the_next_one_used(tmp_path, site):
    gone = site.url.replace("sentences", "gone")
    download.fetch_images(IDS, [gone, site.url], tmp_path / "images", "pascal1k/images")
    assert tree(tmp_path / "images") == JPEGS  # and no files of checksums
    assert [path for path in site.paths if path.startswith("/gone")] == [f"/gone/{IDS[0]}"]


def test_the_mirror_comes_before_the_server(tmp_path, site):
    mirrored = tmp_path / "mirror/pascal1k/images/dog/3.jpg"
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(jpeg(25))
    fetch(site, tmp_path / "images", tmp_path / "mirror")
    assert tree(tmp_path / "images") == {**JPEGS, "dog/3.jpg": jpeg(25)}
    assert site.paths == [f"/sentences/{name}" for name in IDS if name != "dog/3.jpg"]


def test_downloads_end_after_several_missing_images(tmp_path, site):
    for name in IDS[4:]:
        del site.others[f"/sentences/{name}"]
    with refused(r"5 of 20 images cannot be fetched \(11 more were not"):
        fetch(site, tmp_path)
    assert len(site.paths) == 9


# --- The workflow ---------------------------------------------------------------------------------


def test_the_workflow_gets_the_page_its_images_and_the_data_set(tmp_path, site):
    """An image that a run before could not get was put there by hand."""
    project = copy_project(tmp_path)
    sources_file = project / "resources/sources.yaml"
    sources = yaml.safe_load(sources_file.read_text())
    sources["pascal1k/index.html"]["urls"] = [site.url]
    sources_file.write_text(yaml.safe_dump(sources))
    (project / "pascal1k.yaml").write_text(
        "experiment: pascal\ndatasets: {pascal1k: {source: pascal1k, seed: 7, "
        "backbone: efficientnet_lite0, models: [gru-8-max]}}\n"
    )
    del site.others["/sentences/cat/19.jpg"]
    by_hand = project / "data/pascal1k/images.part/cat/19.jpg"
    by_hand.parent.mkdir(parents=True)
    by_hand.write_bytes(JPEGS["cat/19.jpg"])
    output = "results/datasets/pascal1k/images.csv"
    snakemake(project, output, "--configfile", "pascal1k.yaml")
    assert len(site.paths) == 20  # the page, and each image but that one
    images = dataset.read_images(project / output)
    assert images.image_id.tolist() == IDS
    assert images.path.tolist() == [f"data/pascal1k/images/{name}" for name in IDS]
    assert images.split.value_counts().to_dict() == {"train": 16, "dev": 2, "test": 2}
