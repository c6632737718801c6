import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image
from sentence_transformers import SentenceTransformer

from groundvec import SentenceEncoder
from groundvec.export.sentence_transformers import save
from tests.support.examples import save_model
from tests.support.models import model
from tests.support.refusals import refused

SENTENCES = ["A dog.", "?", "  Zwei\tHunde ", "never seen: éß🐶", "A dog chases 2 cats. " * 9] * 3


def train(folder, similarity="cosine"):
    """Write the folder of a model of two languages, with an ensemble of two snapshots."""
    models = [model(seed=k, languages=["en", "de"], similarity=similarity) for k in range(2)]
    save_model(folder, models, epochs=(4, 8))
    (folder / "README.md").write_text("# The model card\n")
    return folder


@pytest.fixture
def saved(tmp_path):
    save(train(tmp_path / "trained"), tmp_path / "saved")
    return tmp_path / "saved"


def load(folder):
    return SentenceTransformer(str(folder), device="cpu", trust_remote_code=True)


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
def test_the_exported_model_has_the_encoder_s_vectors_and_similarities_also_if_saved_again(
    tmp_path, similarity
):
    trained = train(tmp_path / "trained", similarity)
    encoder = SentenceEncoder(trained, device="cpu")
    save(trained, tmp_path / "saved")
    loaded = load(tmp_path / "saved")
    vectors = loaded.encode(SENTENCES, batch_size=4)
    assert vectors.dtype == np.float32 and loaded.get_embedding_dimension() == 16
    assert_allclose(vectors, encoder.encode(SENTENCES), atol=1e-6)
    as_they_are = encoder.encode(SENTENCES, tokenized=True)
    assert np.abs(as_they_are - vectors).max() > 0.01
    assert_allclose(loaded.encode(SENTENCES, tokenized=True), as_they_are, atol=1e-6)
    assert_allclose(
        loaded.encode("A dog.", language="de"), encoder.encode("A dog.", language="de"), atol=1e-6
    )
    assert loaded.similarity_fn_name == similarity
    theirs = loaded.similarity(vectors, vectors).numpy()
    if similarity == "euclidean":  # theirs is minus the distance, ours its square
        theirs = -(theirs**2)
    assert_allclose(theirs, encoder.similarity(SENTENCES, SENTENCES), atol=1e-5)

    loaded.save(str(tmp_path / "again"))
    again = load(tmp_path / "again")
    assert_array_equal(again.encode(SENTENCES, batch_size=4), vectors)
    of_folder = SentenceEncoder(tmp_path / "again", device="cpu")
    assert_array_equal(of_folder.encode(SENTENCES), encoder.encode(SENTENCES))


@pytest.mark.parametrize("given, kind", [([None], "NoneType"), (Image.new("RGB", (8, 8)), "image")])
def test_input_other_than_sentences_is_named(saved, given, kind):
    refused = f"is not text but {kind}: give strings$|Modality '{kind}' is not supported"
    with pytest.raises(ValueError, match=refused):  # of an image the package says so itself
        load(saved).encode(given)


def test_the_folder_holds_no_code_and_names_this_package_s_class(saved):
    files = [path for path in saved.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".safetensors", ".md"}
    modules = json.loads((saved / "modules.json").read_text())
    assert [module["type"] for module in modules] == [
        "groundvec.export.sentence_transformers.CaptionEncoder"
    ]
    assert (saved / "README.md").read_text() == "# The model card\n"
    with pytest.raises(ValueError, match="trust_remote_code=True"):  # since version 6
        SentenceTransformer(str(saved), device="cpu")


def test_an_existing_folder_and_damaged_weights_are_refused(saved, tmp_path):
    with refused("saved already exists: name another folder"):
        save(tmp_path / "trained", saved)
    weights = next((saved / "snapshots").iterdir())
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    with refused("is damaged"):
        load(saved)
