"""Files of word vectors."""

import zipfile

import numpy as np
import pytest

from reproduction.text.vector_files import read_vectors
from tests.support.refusals import refused
from tests.support.word_vectors import GLOVE, write


def test_only_the_wanted_words_are_read(tmp_path):
    index, vectors = read_vectors(write(tmp_path / "v.txt"), {"dog", "runs", "cat"})
    assert vectors.dtype == np.float32
    assert set(index) == {"dog", "runs"}
    np.testing.assert_allclose(vectors[index["dog"]], [0, 3, 0.1], rtol=1e-6)
    np.testing.assert_allclose(vectors[index["runs"]], [-1, -1, 4])
    assert read_vectors(tmp_path / "v.txt", {"cat"})[1].shape == (0, 3)


def test_fasttext_files_have_a_header_and_spaces_at_the_ends(tmp_path):
    path = write(tmp_path / "v.vec", "2 3 \n2 1 2 3 \r\n3 4 5 6 \n")
    index, vectors = read_vectors(path, ["2", "3", "1"])
    assert (index, vectors.tolist()) == ({"2": 0, "3": 1}, [[1, 2, 3], [4, 5, 6]])


def test_white_space_other_than_spaces_is_part_of_a_word(tmp_path):
    """As in glove.840B.300d.txt; `.` must not take the vector of `. . .`, nor lines end inside."""
    words = ["\xa0", ".\xa0.\xa0.", "\x85", "a\rb", "\u2028", "new\u3000york", "."]
    text = "".join(f"{word} {i} 0\n" for i, word in enumerate(words))
    index, vectors = read_vectors(write(tmp_path / "v.txt", text), words)
    assert [vectors[index[word], 0] for word in words] == [*range(len(words))]


@pytest.fixture
def archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "glove.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("glove.3d.txt", GLOVE)
    return tmp_path / "glove.zip"


def test_a_member_of_a_zip_file_is_read_in_place(archive):
    expected = read_vectors(write(archive.with_suffix(".txt")), {"a", "."})
    for path in [archive, archive / "glove.3d.txt", str(archive / "glove.3d.txt")]:
        index, vectors = read_vectors(path, {"a", "."})
        assert index == expected[0]
        np.testing.assert_array_equal(vectors, expected[1])


def test_an_archive_with_several_members_needs_a_member_s_name(archive):
    with refused(r"add to .*glove\.zip/ the name .*: glove\.3d\.txt$"):
        read_vectors(archive / "glove.9d.txt", {"a"})
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("more/glove.2d.txt", "a 1 2\n")
    with refused(r"glove\.3d\.txt, more/glove\.2d\.txt$"):
        read_vectors(archive, {"a"})
    assert read_vectors(archive / "more" / "glove.2d.txt", {"a"})[1].tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", r"v\.txt is empty"),
        (b"2 3\nb 1 2 3\n", r"v\.txt ends after 1 of 2 vectors"),
        (b"a 1 2\nb 1 2\nc 1\n", r"v\.txt, line 3 is no word vector: 1 values, not 2"),
        (b"b 1 2\na 1 two\n", r"v\.txt, line 2 is no word vector: .*'two'"),
        (b"b 1 2\na nan 2\n", r"v\.txt, line 2 is no word vector: a value is not finite"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, content, message):
    (tmp_path / "v.txt").write_bytes(content)
    with refused(message):
        read_vectors(tmp_path / "v.txt", {"a"})


def test_missing_vectors_are_named(tmp_path):
    for path in [tmp_path / "no.txt", tmp_path / "no.zip" / "v.txt", tmp_path]:
        with refused(f"{path} does not exist"):
            read_vectors(path, {"a"})
