"""The German names: one row per class of the networks, and names that a search can match."""

import re
import tomllib
import unicodedata

from torchvision.models._meta import _IMAGENET_CATEGORIES

from tests.support import ROOT

PATH = ROOT / "reproduction/lexicon/classes.de.toml"
TEXT = PATH.read_text("utf-8")
NAMES = tomllib.loads(TEXT)


def test_the_first_rows_are_the_classes_in_the_networks_order():
    comments = re.findall(r"^n\d{8} = .*  # (.*)$", TEXT, re.MULTILINE)
    assert comments[:1000] == _IMAGENET_CATEGORIES
    # The order of classes is the order of their ids; these two were looked up in ImageNet.
    classes = list(NAMES)[:1000]
    assert classes == sorted(classes)
    assert classes[207] == "n02099601"  # golden retriever
    assert classes[999] == "n15075141"  # toilet tissue


def test_names_can_be_matched():
    for synset, names in NAMES.items():
        assert re.fullmatch(r"n\d{8}", synset)
        assert names, synset
        assert len({name.casefold() for name in names}) == len(names), synset
        for name in names:
            assert name == unicodedata.normalize("NFC", " ".join(name.split())), name
            assert re.fullmatch(r"[^\W_]([^\W_]|[ '-])*", name), name
