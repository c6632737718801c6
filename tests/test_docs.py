"""The pages and help texts agree with the project."""

import doctest
import io
import json
import re
import tarfile
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
import yaml
from jsonschema import Draft202012Validator
from PIL import Image

import docs.pages.__main__ as pages
from docs import keep_results
from docs.pages import repeated
from groundvec import SentenceEncoder
from groundvec.sources import table
from tests.support import ROOT
from tests.support.folders import fill, tree
from tests.test_layout import LAYERS


def read(path):
    """Return the text of a file of the project."""
    return (ROOT / path).read_text("utf-8")


CONFIGURATIONS = [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))]


@pytest.mark.parametrize("package", LAYERS)
def test_the_architecture_lists_the_layers_of_each_package(package):
    text = read("docs/architecture.md")
    section = text.split(f"### `{package}/`")[1].split("\n#")[0]
    layers = []
    for number, modules in re.findall(
        r"^\| (?:(\d+) )?\| (`[\w.]+`(?:, `[\w.]+`)*) \|", section, re.M
    ):
        layers += [set()] if number else []
        layers[-1] |= {Path(module).stem for module in re.findall(r"`([\w.]+)`", modules)}
    assert layers == LAYERS[package]


def test_the_changelog_and_the_citation_have_the_version():
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    number, date = re.search(r"^## (\d\S+) - (\S+)", read("CHANGELOG.md"), re.M).groups()
    assert number == version.split(".dev")[0]
    assert (date == "unreleased") == (".dev" in version)
    citation = yaml.safe_load(read("CITATION.cff"))
    assert citation["version"] == version
    assert str(citation.get("date-released", "unreleased")) == date


def test_the_site_can_link_the_page_of_the_demo():
    [sentence] = re.findall('^WITHOUT_DEMO = "(.+)"$', read("docs/conf.py"), re.M)
    assert sentence in read("docs/page.md")


def first_python(page):
    return read(page).partition("```python\n")[2].partition("```")[0]


def test_the_readme_s_lines_print_their_results():
    lines = first_python("README.md")
    test = doctest.DocTestParser().get_doctest(lines, {}, "README.md", None, None)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted == 4 and not result.failed


def test_the_first_lines_on_encoders_print_their_results(capsys):
    exec(first_python("docs/encoder.md"), {})
    page = read("docs/encoder.md")
    assert capsys.readouterr().out == re.search(r"```text\n(.*?)```", page, re.S)[1]


@pytest.mark.parametrize("path", pages.FILES, ids=lambda path: path.name)
def test_each_page_is_up_to_date(path):
    """A changed digit of a page, or a changed file without its page, is found."""
    content = pages.FILES[path]()
    assert path.read_text("utf-8") == content, f"{path.name} is out of date: make pages"


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.name)
def test_editors_check_a_configuration_by_its_schema(path):
    """The first line names the schema, which refuses misspelled keys."""
    text = path.read_text("utf-8")
    [schema] = re.findall(r"^# yaml-language-server: \$schema=(\S+)$", text.splitlines()[0])
    validator = Draft202012Validator(json.loads((path.parent / schema).read_text("utf-8")))
    config = yaml.safe_load(text)
    assert validator.is_valid(config)
    [name, *_] = config["datasets"]
    assert not validator.is_valid({**config, "datasets": {name: {"modles": []}}})


@pytest.mark.parametrize(
    "section, module",
    [
        ("scikit-learn", "sklearn"),
        ("FAISS", "faiss"),
        ("LangChain", "langchain_core"),
        ("Haystack", "haystack"),
        ("FastAPI", "fastapi"),
    ],
)
def test_the_snippets_of_other_libraries_print_their_comments(section, module, capsys):
    pytest.importorskip(module)
    first, *sections = re.split(r"^## (.+)\n", read("docs/libraries.md"), flags=re.M)
    snippet = dict(zip(sections[::2], sections[1::2], strict=True))[section]
    names = {}
    for text in (first, snippet):
        exec(re.search(r"```python\n(.*?)```", text, re.S)[1], names)
    expected = re.findall(r"^print\(.*\)  # (.+)$", snippet, re.M)
    assert capsys.readouterr().out.splitlines() == expected
    if section == "FastAPI":
        [vector] = names["encode"](["A dog runs."])
        assert len(vector) == names["encoder"].dim


def run_notebook(text):
    """Run the code cells of a notebook; return its names, and stored and printed text by cell."""
    names = {}
    texts = []
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec("".join(cell["source"]), names)
            stored = [line for output in cell["outputs"] for line in output.get("text", [])]
            texts.append(("".join(stored), printed.getvalue()))
    return names, texts


@pytest.mark.slow
def test_the_tour_runs_and_prints_its_stored_outputs(monkeypatch, tmp_path):
    """On 60 scenes instead of 300, so that it takes a third of the time.

    The text of cells after the training is not compared: weights depend on the processor.
    """
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", None)
    text = read("examples/tour.ipynb")
    assert text.count("images=300") == 1
    names, texts = run_notebook(text.replace("images=300", "images=60"))
    *before_training, trained, _, _ = texts
    assert all(stored == printed for stored, printed in before_training)
    assert "Images by captions: model finds " in trained[1]
    assert trained[0].count("\n") == trained[1].count("\n")
    assert names["mean"].pearson.item() > 0.5  # of the trained encoder, on drawn scenes


def test_each_table_is_in_one_page():
    texts = [path.read_text("utf-8") for path in pages.PAGES]
    names = [name for text in texts for name in re.findall("<!-- table: (.+) -->", text)]
    closed = [match[1] for text in texts for match in pages.MARKERS.findall(text)]
    whole = [path.relative_to(pages.KEPT) for path in pages.KEPT.rglob("*.md")]
    tables = [*pages.TABLES, *(str(path.with_suffix("")) for path in whole)]
    assert sorted(names) == sorted(closed) == sorted(tables)


def test_numbers_after_commands_come_from_the_shipped_encoder():
    text = read("docs/encoder.md")
    compared = re.findall(r'^\$ groundvec similarity "(.+)" "(.+)"\n(-?[\d.]+)$', text, re.M)
    assert len(compared) == 3
    encoder = SentenceEncoder("flickr8k")
    for first, second, value in compared:
        a, b = encoder.encode([first, second])
        assert f"{a @ b:.4f}" == value
    said = re.search(r"^\$ printf '(.+)' > sentences.txt$", text, re.M)[1].split(r"\n")[:3]
    rows = re.search(r"cut -d, -f1-4 .*\n(.+\n.+\n.+)\n", text)[1].splitlines()
    vectors = encoder.encode(said)[:, :4]
    assert np.allclose([list(map(float, row.split(","))) for row in rows], vectors, atol=1e-6)


def test_sentences_say_what_the_files_say():
    for page, sentence in pages.sentences():
        assert sentence in " ".join(read(page).split()), page


def test_numbers_that_stand_in_several_places_are_the_same(tmp_path, monkeypatch):
    assert not repeated.differing()
    (tmp_path / "a.md").write_text("It takes 3 minutes.")
    (tmp_path / "b.md").write_text("It takes\n4 minutes.")
    places = dict.fromkeys(["a.md", "b.md"], "takes ([0-9]+) minutes")
    monkeypatch.setattr(repeated, "ROOT", tmp_path)
    monkeypatch.setitem(repeated.DECLARED, "repeated", {"minutes": places})
    assert repeated.differing() == ["minutes: a.md 3, b.md 4"]


def test_keeping_results_keeps_other_trainings(tmp_path):
    """Two machines have half of the trainings each; a figure and a table are copied whole."""
    head = "dataset,model,seed,split,kind,r10\n"
    first = "a,gru,1,test,ensemble,11.10\n"
    rows = "a,gru,2,dev,ensemble,1\na,gru,2,test,ensemble,22.50\na,gru,2,test,chance,9\n"
    files = {
        "results/mine/retrieval/a/gru/seed2.csv": head + rows,
        "results/mine/retrieval/a/gru/seed2.ranks.csv": "not,read\n",
        "results/mine/merkx_frank_2019/tables/table1.md": "new",
        "results/mine/merkx_frank_2019/figures/figure2.svg": "<svg/>",
        "docs/results/mine/retrieval.csv": f"{head}{first}a,gru,2,test,ensemble,20\n",
        "docs/results/mine/table1.md": "old",
        "docs/results/mine/section_4_3.csv": "stays",
        "docs/images/mine-figure2.svg": "old",
        "docs/images/other-figure2.svg": "old",
    }
    fill(tmp_path, files)
    done = keep_results.keep(tmp_path / "results/mine", docs=tmp_path / "docs")
    assert [path.name for path, there in done.items() if not there] == ["section_4_3.csv"]
    assert tree(tmp_path / "docs") == {
        "results/mine/retrieval.csv": f"{head}{first}a,gru,2,test,ensemble,22.50\n".encode(),
        "results/mine/table1.md": b"new",
        "results/mine/section_4_3.csv": b"stays",
        "images/mine-figure2.svg": b"<svg/>",
        "images/other-figure2.svg": b"old",
    }


# The lines of docs/your-own-data.md that convert captions

CONVERTED = [
    ("a.jpg", "A, b."),
    ("b.jpg", "NA"),
    ("b.jpg", "007"),
    ("c.jpg", "Café au lait"),
]


def picture(color, form):
    data = io.BytesIO()
    Image.new("RGB", (8, 8), color).save(data, form)
    return data.getvalue()


@pytest.fixture
def convert(tmp_path, monkeypatch):
    """Return a function that runs lines of the page, and reads the table that they write.

    The lines begin as given. They run in a folder with three images in my/photos.
    """
    page = read("docs/your-own-data.md")
    monkeypatch.chdir(tmp_path)
    Path("my/photos").mkdir(parents=True)
    for name, color in {"a.jpg": "red", "b.jpg": "blue", "c.jpg": "lime"}.items():
        Path("my/photos", name).write_bytes(picture(color, "JPEG"))

    def run(*starts, change=str):
        for start in starts:
            lines = re.search(rf"```python\n({re.escape(start)}.*?)```", page, re.S)[1]
            exec(change(lines), {})
        captions, images = table.read("my/captions.csv", "my/photos")
        rows = zip(captions["image_id"], captions["caption"], strict=True)
        return list(rows), images.set_index("image_id")["path"]

    return run


def test_shards_with_equal_names_become_a_table_of_all_their_captions(convert):
    shards = {
        "0": {"0.jpg": picture("red", "JPEG"), "0.txt": b"A red one.\nIt is red.\n"},
        "1": {"0.png": picture("blue", "PNG"), "0.txt": "Über blue.".encode(), "0.json": b"{}"},
        "2-a": {"x/y.webp": picture("lime", "WEBP"), "x/y.txt": b"Lime.", "z.txt": b"None."},
    }
    for name, files in shards.items():
        with tarfile.open(f"my/{name}.tar", "w") as shard:
            for path, data in files.items():
                member = tarfile.TarInfo(path)
                member.size = len(data)
                shard.addfile(member, io.BytesIO(data))
    rows, paths = convert("from pathlib", "from groundvec.sources")
    assert rows == [
        ("0/0.jpg", "A red one."),
        ("0/0.jpg", "It is red."),
        ("1/0.png", "Über blue."),
        ("2-a/x/y.webp", "Lime."),
    ]
    expected = {"0/0.jpg": (255, 0, 0), "1/0.png": (0, 0, 255), "2-a/x/y.webp": (0, 255, 0)}
    for name, color in expected.items():
        shown = Image.open(paths[name]).convert("RGB").getpixel((4, 4))
        assert np.abs(np.subtract(shown, color)).max() < 10


@pytest.mark.parametrize(
    "text, form",
    [
        (
            """[{"image": "a.jpg", "caption": "A, b."},
            {"image": "b.jpg", "caption": ["NA", "007"]},
            {"image": "c.jpg", "caption": "Café\\nau lait", "id": 3}]""",
            "json.load(file)",
        ),
        (
            """{"image": "a.jpg", "caption": "A, b."}\n{"image": "b.jpg", "caption": ["NA", "007"]}
            {"caption": "Café\\nau lait", "image": "c.jpg"}""",
            "map(json.loads, file)",
        ),
        (
            '{"a.jpg": "A, b.", "b.jpg": ["NA", "007"], "c.jpg": ["Café\\nau lait"]}',
            'json.load(file).items(), columns=["image", "caption"]',
        ),
    ],
    ids=["list", "lines", "names"],
)
def test_captions_in_json_become_a_table(convert, text, form):
    Path("my/captions.json").write_text(text, "utf-8")

    def take(lines):
        """Comment out the page's form, and use another one."""
        assert f"rows = pd.DataFrame({form})" in lines
        lines = re.sub(r"(# )?rows = pd", "# rows = pd", lines)
        return lines.replace(f"# rows = pd.DataFrame({form})", f"rows = pd.DataFrame({form})")

    assert convert("import json\n", change=take)[0] == CONVERTED


def test_captions_of_mscoco_become_a_table(convert):
    files = [(9, "b.jpg"), (7, "a.jpg"), (1, "c.jpg")]
    captions = [(7, "A, b."), (9, "NA"), (9, "007"), (1, "Café\n au lait")]
    coco = {
        "images": [{"id": number, "file_name": name} for number, name in files],
        "annotations": [{"image_id": number, "caption": text} for number, text in captions],
    }
    Path("my/captions_val2017.json").write_text(json.dumps(coco), "utf-8")
    assert convert("import csv, json")[0] == CONVERTED


def test_captions_in_parquet_become_a_table(convert):
    polars = pytest.importorskip("polars")
    captions = [["A, b."], ["NA", "007"], ["Café\nau lait"]]
    rows = polars.DataFrame({"image": ["a.jpg", "b.jpg", "c.jpg"], "captions": captions})
    rows.write_parquet("my/captions.parquet")
    assert convert("import polars")[0] == CONVERTED
