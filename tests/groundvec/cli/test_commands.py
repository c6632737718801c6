"""The command `groundvec`, run as users do."""

import base64
import html
import io
import json
import os
import re
import shlex
import shutil
from pathlib import Path
from unittest.mock import patch
from urllib.parse import unquote

import numpy as np
import polars
import pytest
from numpy.testing import assert_allclose
from PIL import ExifTags, Image

from groundvec import Index, SentenceEncoder
from groundvec.cli.search_results import seen
from groundvec.features import backbones
from groundvec.features.extract import described_features
from groundvec.model.classes import Evidence
from groundvec.runtime import files
from groundvec.runtime.errors import InputError, printable
from tests.support import models
from tests.support.commands import run_here, shell
from tests.support.examples import save_model
from tests.support.folders import fill, tree
from tests.support.lexicons import add_classes
from tests.support.tables import cells

SENTENCES = ["A dog runs.", "?", "éß🐶 \u2028 never seen", "A cat sleeps on a red sofa."]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model of two languages, untrained, over the features of the demo's backbone."""
    folder = tmp_path_factory.mktemp("model")
    lite = backbones.load("efficientnet_lite0")
    network = models.model(languages=["en", "de"], width=lite.width)
    save_model(folder, network, [2, 4], features=described_features(lite, "cpu"))
    (folder / "README.md").write_text("# The model card\n")
    return folder


@pytest.fixture(scope="module")
def encoder(model):
    return SentenceEncoder(model)


# encode


def read_vectors(path):
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False)
    if path.suffix == ".csv":
        rows = [line.split(",") for line in path.read_text().splitlines()]
        return np.array(rows, np.float32).reshape(len(rows), -1 if rows else 0)
    return polars.read_parquet(path)["vector"].to_numpy()


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-6), ("float16", 1e-3)])
@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
@pytest.mark.parametrize("sentences", [SENTENCES, []])
def test_a_file_of_sentences_becomes_a_file_of_vectors(
    groundvec, tmp_path, monkeypatch, model, encoder, sentences, ending, dtype, tolerance
):
    """Also if it is written in several blocks."""
    monkeypatch.setattr("groundvec.cli.commands.encode.BLOCK", 3)
    (tmp_path / "s.txt").write_bytes(
        b"\xef\xbb\xbf" + "".join(f"{sentence}\r\n" for sentence in sentences).encode()
    )
    output = tmp_path / f"new/v.{ending}"
    printed = groundvec("encode", "s.txt", "--model", model, "--dtype", dtype, "-o", output)
    assert printed == f"written: {output}\n"
    vectors = read_vectors(output)
    assert ending == "csv" or vectors.dtype == dtype
    expected = encoder.encode(sentences)
    assert_allclose(vectors.reshape(expected.shape), expected, atol=tolerance)
    if ending == "parquet":
        assert polars.read_parquet(output)["sentence"].to_list() == sentences
    assert [path.name for path in output.parent.iterdir()] == [output.name]


def test_standard_input_is_encoded_to_standard_output(tmp_path, model, encoder):
    """A reader who has seen enough, such as head, is no reason to complain."""
    (tmp_path / "-").touch()  # a file of that name has nothing to do with it
    line = f"groundvec encode --model {model} | head -n 2"
    result = shell(tmp_path, line, stdin="A dog runs.\n" * 3000)
    assert result.stderr == "" and result.returncode == 128 + 13  # SIGPIPE ended it
    vectors = np.loadtxt(io.StringIO(result.stdout), np.float32, delimiter=",")
    expected = encoder.encode(["A dog runs."] * 2, language="en")
    assert_allclose(vectors, expected, atol=1e-6)


@pytest.mark.parametrize(
    "option, same",
    [
        ("--normalize", {"normalize_embeddings": True}),
        ("--tokenized", {"tokenized": True}),
        ("--language=de", {"language": "de"}),
    ],
)
def test_options_of_the_encoder_are_options_of_the_command(groundvec, tmp_path, option, same):
    save_model(tmp_path / "dot", models.model(similarity="dot", languages=["en", "de"]))
    (tmp_path / "s.txt").write_text("A dog's ball.")
    groundvec("encode", "s.txt", option, "--model", "dot", "-o", "v.npy")
    encoder = SentenceEncoder(tmp_path / "dot")
    expected = encoder.encode(["A dog's ball."], **same)
    assert_allclose(np.load(tmp_path / "v.npy"), expected, atol=1e-6)
    assert not np.allclose(expected, encoder.encode(["A dog's ball."]), atol=1e-3)


@pytest.mark.parametrize("ending", ["npy", "parquet"])
def test_vectors_that_the_disk_cannot_hold_are_one_line_and_no_file(tmp_path, model, ending):
    lines = (f"{number:012b}\n" for number in range(3000))  # which do not compress
    (tmp_path / "s.txt").write_text("".join(lines).replace("0", "a").replace("1", "o"))
    line = f"ulimit -f 5; groundvec encode s.txt -o v.{ending} --model {model}"  # KiB
    result = shell(tmp_path, line)
    assert result.returncode == 1 and result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("error: no space left on the disk while writing")
    assert [path.name for path in tmp_path.iterdir()] == ["s.txt"]


@pytest.mark.parametrize(
    "line, said",
    cells("""
    groundvec encode -o s.csv --overwrite < s.csv       | s.csv is an input, and would be over
    touch s.onnx; groundvec export flickr8k -o s.onnx   | s.onnx already exists: name another
    touch s.npy; groundvec encode no.txt -o s.npy       | s.npy already exists: name another out
    touch s.csv; groundvec evaluate retrieval a b --ranks s.csv | s.csv already exists: name
    """),
)
def test_an_input_or_an_existing_output_is_refused_in_one_line(tmp_path, line, said):
    (tmp_path / "s.csv").write_text("A dog.\n")
    result = shell(tmp_path, line)
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"error: {said}")
    assert (tmp_path / "s.csv").read_text() == "A dog.\n"


# similarity


def test_two_files_have_a_number_a_line(tmp_path, model, encoder):
    """One is a FIFO, such as bash makes of `<(...)`, and the other standard input."""
    (tmp_path / "a.txt").write_text("".join(f"{sentence}\n" for sentence in SENTENCES))
    files = "<(cat a.txt) - < <(tac a.txt)"
    result = shell(tmp_path, f"groundvec similarity --model {model} --files {files}")
    expected = encoder.similarity(SENTENCES, SENTENCES[::-1]).diagonal()
    numbers = np.array(result.stdout.split(), float)
    assert_allclose(numbers, expected, atol=1e-4, err_msg=result.stderr)


# search


@pytest.fixture
def photos(tmp_path):
    (tmp_path / "photos").mkdir()
    for number in range(4):
        noise = np.random.default_rng(number).integers(0, 64 * (number + 1), (40, 500, 3), np.uint8)
        Image.fromarray(noise).save(tmp_path / "photos" / f"{number} <&.png")
    return tmp_path / "photos"


def assert_listed(lines, expected):
    """A line is a score of two decimals, and a path."""
    for line, hit in zip(lines, expected, strict=True):
        assert line == f"{hit.score:z.2f}  photos/{hit.path.name}"


def test_search_names_the_best_pictures(groundvec, model, photos):
    lines = groundvec("search", "photos", "A dog.", "--model", model, "-n", 3).splitlines()
    assert_listed(lines, Index(photos, model).search("A dog.", best=3))
    options = ("--crops", 1, "--language", "de")
    lines = groundvec("search", "photos", "A dog.", "--model", model, *options).splitlines()
    expected = Index(photos, model, crops=1).search("A dog.", language="de")
    assert_listed(lines, expected)
    hit = expected[0]._replace(path=Path("photos", expected[0].path.name), score=-0.001)
    with patch("groundvec.index.Index.search", return_value=[hit]):
        assert groundvec("search", "photos", "A dog.", "--model", model).startswith("0.00  ")


def test_a_search_by_pictures_and_several_queries(groundvec, model, photos):
    picture = photos / "1 <&.png"
    command = ("search", "photos", "-n", 2, "A dog.", picture, "--minus", "A red cat.")
    lines = groundvec(*command, "--model", model).splitlines()
    assert lines[0] == "A dog. - A red cat.:" and lines[3] == f"{picture} - A red cat.:"
    for start, query in ((1, "A dog."), (4, picture)):
        found = Index(photos, model).search(query, best=2, minus="A red cat.")
        assert_listed(lines[start : start + 2], found)


def test_a_query_is_no_folder_that_has_its_name(groundvec, model, photos, tmp_path, caplog):
    """People have folders that are named like their queries."""
    (tmp_path / "dog").mkdir()
    for options in (["dog"], ["A cat.", "--minus", "dog"]):
        lines = groundvec("search", "photos", *options, "--model", model).splitlines()
        query, *minus = (option for option in options if option != "--minus")
        assert_listed(lines, Index(photos, model).search(query, minus=minus))
    assert "read as" not in caplog.text
    shutil.copy(photos / "2 <&.png", tmp_path / "cat")
    shutil.copy(photos / "3 <&.png", tmp_path / "dog")
    lines = groundvec("search", "photos", "dog", "cat", "--model", model).splitlines()
    assert lines[0].startswith("1.00  ")
    groundvec("search", "photos", "a", "bird", "--model", model)
    assert "each word is a query; for one, type quotation marks: 'a bird'" in caplog.text
    assert "dog, cat: read as a file or folder, which has this name; end a sent" in caplog.text


def test_links_of_a_page_lead_to_pictures_from_the_address_that_was_typed(
    groundvec, model, photos, tmp_path
):
    (tmp_path / "data").mkdir()
    photos.rename(tmp_path / "data/photos")
    photos.symlink_to("data/photos")
    (tmp_path / "data/out").mkdir()
    (tmp_path / "out").symlink_to("data/out")
    cases = {
        ("photos", "photos/best.html"): "",
        (photos, "photos/absolute.html"): "",
        ("data/photos", "photos/real.html"): "",
        ("photos", "out/best.html"): "../photos/",
        ("out/../photos", "best.html"): "data/photos/",
        ("data/photos", "out/../best.html"): "photos/",
    }
    for (folder, page), start in cases.items():
        groundvec("search", folder, "A dog.", "--model", model, "-o", page)
        links = re.findall(r'href="([^"]+)"', (tmp_path / page).read_text())
        assert sorted(map(unquote, links)) == [f"{start}{number} <&.png" for number in range(4)]


def test_terms_have_weights(groundvec, model, photos):
    """A time of day and a ratio are sentences."""
    index = Index(photos, model)
    picture = photos / "1 <&.png"
    cases = {
        ("2:A cat.", f".5:{picture}"): {"plus": {"A cat.": 2, picture: 0.5}},
        ("2:30 at night", "2: A cat.", "at 2:30"): {
            "plus": ["2:30 at night", "2: A cat.", "at 2:30"]
        },
        ("A cat.", "1.5:A cat."): {"plus": {"A cat.": 2.5}},
    }
    for terms, expected in cases.items():
        options = [option for term in terms for option in ("--plus", term)]
        lines = groundvec("search", "photos", "A dog.", *options, "--model", model).splitlines()
        assert_listed(lines, index.search("A dog.", **expected))


def test_without_a_query_a_terminal_is_asked_for_one_after_another(
    groundvec, model, photos, monkeypatch, caplog
):
    typed = ["A dog.", f" {photos}/1 <&.png", "no.jpg", "A \x1b[31mcat.", "word " * 10_000, "."]
    monkeypatch.setattr("builtins.input", lambda prompt: typed.pop(0))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    index = Index(photos, model)
    made = []
    monkeypatch.setattr("groundvec.index.Index", lambda *_, **options: made.append(1) or index)
    lines = groundvec("search", "photos", "photos/", "-n", 1, "--model", model).splitlines()
    for line, query in zip(lines, ("A dog.", photos / "1 <&.png"), strict=False):
        [hit] = index.search(query, 1)
        assert line == f"{hit.score:z.2f}  {hit.path}"
    assert len(lines) == 4 and not typed and made == [1]
    assert "no.jpg is neither a sentence nor the file of a picture" in caplog.text


def test_paths_are_for_other_programs(model, photos, tmp_path):
    """In their own bytes; a name is no option, and no two paths."""
    names = [os.fsdecode(b"caf\xe9 1.png"), "-n 2.png", "\x1b[1m.png", "two\nlines.png"]
    for path, name in zip(sorted(photos.iterdir()), names, strict=True):
        path.rename(photos / name)
    line = f"groundvec search . 'A dog.' --paths --model {model} | xargs -d '\\n' cp -t ../copies"
    (tmp_path / "copies").mkdir()
    result = shell(photos, line)
    assert result.returncode == 0, result.stderr
    assert {path.name for path in (tmp_path / "copies").iterdir()} == {*names[:3]}
    assert result.stderr.splitlines()[-1] == r"two\nlines.png is left out: it has a line break"


def test_a_page_replaces_one_that_groundvec_wrote_and_opens(
    groundvec, model, photos, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(files, "_keep_existing", True)
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address))
    command = ("search", "photos", "A dog.", "--model", model, "-o", "best page.html", "--open")
    groundvec(*command)
    groundvec(*command)
    assert opened == 2 * [f"file://{tmp_path}/best%20page.html"]
    assert caplog.messages[-1] == "no browser was found: open best page.html in one"
    page = (tmp_path / "best page.html").read_bytes()
    (tmp_path / "own.html").write_bytes(b"<p>" + 2000 * b" " + page)
    (tmp_path / "link.html").symlink_to("best page.html")
    (tmp_path / "empty.html").touch()
    (tmp_path / "page.txt").write_bytes(page)
    for name in ("own.html", "link.html", "empty.html", "page.txt"):
        with pytest.raises(InputError, match="already exists: name another output"):
            files.check_output(tmp_path / name)
    files.check_output(tmp_path / "best page.html")


def test_a_page_of_the_best_needs_no_other_file(groundvec, model, photos, tmp_path):
    sentence = "A <b>dog</b> & $cat."
    line = groundvec("search", "photos", sentence, "A cat.", "--model", model, "-o", "best.html")
    assert line == "written: best.html, with the 4 best of 4 pictures\n"
    page = (tmp_path / "best.html").read_text()
    assert page.count("<h1>A &lt;b&gt;dog&lt;/b&gt; &amp; $cat.</h1>") == 1
    assert re.findall("<h1>(A .*)</h1>", page)[1:] == ["A cat."]
    links = re.findall(r'href="([^"]+)"', page)
    assert all((tmp_path / unquote(link)).is_file() for link in links) and len(links) == 8
    assert re.findall(r'src="(?!data:image/jpeg;base64,)', page) == []
    assert "The 4 best of 4 pictures, " in page
    assert page.count("<b>0 &lt;&amp;.<wbr>png</b>") == 2
    pictures = re.findall(r'src="data:image/jpeg;base64,([^"]+)" alt="([^"]+)"', page)
    assert {name for _, name in pictures} == {f"photos/{i} &lt;&amp;.png" for i in range(4)}
    for data, _ in pictures:
        assert Image.open(io.BytesIO(base64.b64decode(data))).size == (480, 38)


def test_a_page_names_the_day_of_each_picture_and_filters(groundvec, model, photos, browser):
    """By EXIF, which may be damaged, or by the file. Names may have markup."""
    exif = Image.Exif()
    picture = Image.new("RGB", (40, 30), "red")
    days = {
        "</script><img src=x onerror=alert(1)>.jpg": "2019:07:04 12:00:00",
        "b.jpg": "0000:00:00",
    }
    for name, taken in days.items():
        exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.DateTimeOriginal] = taken
        (photos / "trip" / name).parent.mkdir(parents=True, exist_ok=True)
        picture.save(photos / "trip" / name.replace("/", "\u2044"), exif=exif)
        picture = Image.new("RGB", (40, 30), "blue")
    for path in photos.rglob("*.*"):
        os.utime(path, (0, 0))
    groundvec("search", "photos", "A dog.", "--model", model, "-o", "best.html")
    page = browser.new_page()
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.goto((photos.parent / "best.html").as_uri())
    dates = re.findall(r"(photos|photos/trip), (\d{4}-\d\d-\d\d)", page.inner_text("ol"))
    assert sorted(dates) == [
        *4 * [("photos", "1970-01-01")],
        ("photos/trip", "1970-01-01"),
        ("photos/trip", "2019-07-04"),
    ]
    for words, count in (("", 6), ("TRIP", 2), ("trip 2019", 1), ("<&", 4), ("none", 0)):
        page.fill("input", words)
        assert page.locator("li:visible").count() == count, words
    assert not problems
    page.close()


def test_a_search_shows_the_classes_that_it_saw(groundvec, model, photos, tmp_path):
    theirs = shutil.copytree(model, tmp_path / "theirs")
    add_classes(theirs, 1280, np.zeros((4, 1280), np.float32))
    command = ("search", "photos", "-n", 1, "an Espresso cup", "--minus", "a tiger", "--model")
    line = groundvec(*command, theirs, "-v").strip()
    assert re.search(r"\.png  cosine -?0\.\d\d; cup 0.25, espresso 0.25; - tiger 0.25$", line)
    assert groundvec(*command, theirs).strip() == line.partition(".png")[0] + ".png"
    groundvec(*command, theirs, "-o", "best.html")
    page = (tmp_path / "best.html").read_text()
    assert page.count("<br>cup 0.25, espresso 0.25; - tiger 0.25</small></li>") == 1


def test_a_word_is_named_unless_its_first_class_has_its_name():
    found = [
        Evidence("coffee", 1, {"espresso": 0.934, "cup": 0.04}),
        Evidence("dog", 1, {}),
        Evidence("hund", -1, {"Hund": 0.5}),
    ]
    assert seen(found) == "coffee: espresso 0.93, cup 0.04; - Hund 0.50"


def test_a_search_names_once_what_its_model_was_trained_on(
    groundvec, model, photos, tmp_path, caplog, monkeypatch
):
    """From model.json, which may come from anybody."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    theirs = shutil.copytree(model, tmp_path / "theirs")
    about = {
        "flickr8k": "flickr8k (people and animals)",
        "../encoders/rnn": r"\x1b<b>",
        None: r"\x1b<b>",
    }
    for source, data in about.items():
        content = json.loads((theirs / "model.json").read_text())
        content["dataset"] = source if source == "flickr8k" else "\x1b<b>"
        content["source"] = source
        (theirs / "model.json").write_text(json.dumps(content))
        line = f"theirs reads en and de. Trained on {data}, it may miss other subjects."
        for messages in ([line] if source else [], []):  # the third is as the second
            caplog.clear()
            groundvec("search", "photos", "A dog.", "--model", "theirs", "-o", "best.html")
            assert [printable(message) for message in caplog.messages] == messages
        page = " ".join((tmp_path / "best.html").read_text().split())
        assert html.escape(line) in page


def test_bytes_outside_utf_8_are_shown_as_question_marks(groundvec, model, photos, tmp_path):
    name = os.fsdecode(b"caf\xe9.png")
    (photos / "0 <&.png").rename(photos / name)
    (photos / "folder.png").mkdir()  # no picture, whatever its name
    lines = groundvec("search", "photos", "A dog.", "--model", model).splitlines()
    assert len(lines) == 4 and sum(line.endswith("photos/caf?.png") for line in lines) == 1
    sentences = [os.fsdecode(b"A caf\xe9."), os.fsdecode(b"A caf\xe8.")]
    groundvec("search", "photos", *sentences, "--model", model, "-o", "best.html")
    assert (tmp_path / "best.html").read_text().count("<h1>A caf?.</h1>") == 2


def test_a_search_goes_on_where_nothing_can_be_saved(
    groundvec, tmp_path, monkeypatch, model, photos, caplog
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").write_text("no folder")
    lines = groundvec("search", "photos", "A dog.", "--model", model).splitlines()
    assert_listed(lines, Index(photos, model).search("A dog."))
    assert caplog.messages[0].endswith("Not a directory; new features are not saved there")
    assert "may miss other subjects" in caplog.messages[1]


# info


def test_info_describes_a_model(groundvec, model):
    lines = dict(line.split(maxsplit=1) for line in groundvec("info", model).splitlines())
    assert lines["languages"] == "en, de" and lines["vectors"] == "16 numbers"
    assert lines["text"] == "characters" and lines["snapshots"] == "after epoch 2, 4"
    assert lines["encoder"].startswith("rnn (cell gru, size 16, pooling attention")
    assert lines["pictures"].startswith("1280 features, efficientnet_lite0")
    assert lines["card"] == f"{model}/README.md"
    size = sum(map(len, tree(model).values()))
    assert lines["folder"] == f"{model} ({size / 1e6:.1f} MB)"


# Mistakes


@pytest.mark.parametrize(
    "arguments, message",
    cells(r"""
    encode s.txt -o v.txt            | v.txt does not end in .npy or .csv or .parquet
    export flickr8k -o new.txt       | new.txt does not end in .onnx
    export nowhere -o folder         | folder already exists: name another folder
    export nowhere -o folder --overwrite | --overwrite replaces no folder:
    encode s.txt --device ''         | cannot be used (
    encode table.csv                 | table.csv is no text
    encode captions.txt              | captions.txt is a table, JSON or XML, by its first line (im
    encode tokens.txt                | tokens.txt is a table, JSON or XML, by its first line (1.jpg#
    encode json.txt                  | json.txt is a table, JSON or XML, by its first line ([{
    encode no.txt                    | no.txt: No such file or directory; name a file of sentences
    similarity s.txt 'A dog.'        | s.txt is the name of a file, or looks like one
    similarity 'A dog.'              | give two sentences in quotation marks, or two files
    similarity --files s.txt two.txt | s.txt has 1 lines and two.txt has 2
    search s.txt 'A dog.' -n 0       | argument -n/--best: 0 is less than 1
    search s.txt no.jpg              | no.jpg is neither a sentence nor the file of a picture
    search s.txt A. --minus 2:no.jpg | no.jpg is neither a sentence nor the
    search s.txt A. --plus 0:red     | 0:red: a weight of 0 changes nothing, lea
    search s.txt ./folder            | there is no query: describe pictures in quotation mar
    search folder A. --open          | --open has no page: name one, such as -o best.htm
    search s.txt A. --paths -o b.html | --paths prints, and -o writes a
    search s.txt A. --paths -v       | -v/--verbose: not allowed with argument --p
    evaluate ratings none --captions empty.txt | empty.txt is empty: write one training caption
    evaluate retrieval a b --ranks r.npy | argument --ranks: r.npy does not end in .csv
    search s.txt ' '                 | argument QUERY: a sentence is empty: describe pictures
    search s.txt A. --minus ...      | argument --minus: a sentence is empty
    encode blank.txt                 | blank.txt line 2 is empty ('\u200b.'): write text, or leave
    search 'A dog.' 'A cat.'         | A dog. does not exist: name a picture or a folder
    search a dog folder              | a does not exist: name the pictures first: folder 'a dog'
    search s.txt A. --plus 'snow: .5' | snow: .5: only a term of --plus and --min
    search s.txt 2:snow              | 2:snow: only a term of --plus and --minus has a weight
    """),
)
def test_a_mistake_is_named(tmp_path, monkeypatch, capsys, arguments, message):
    texts = {
        "s.txt": "A dog.\n",
        "two.txt": "A dog.\nA cat.\n",
        "empty.txt": "",
        "blank.txt": "A dog.\n\u200b.\n",
        "captions.txt": "image,caption\n1.jpg,A dog.\n",
        "tokens.txt": "1.jpg#0\tA dog.\n",
        "json.txt": '[{"caption": "A dog."}]\n',
        "table.csv": "id,caption\n1,A dog.\n",
    }
    fill(tmp_path, texts)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises((InputError, SystemExit)) as caught:
        run_here(*shlex.split(arguments))
    assert message in f"{caught.value} {capsys.readouterr().err}"
