"""The model card: measured scores in the form that model hubs read."""

import re

import pandas as pd
import pytest
import yaml

from groundvec.card.card import card
from groundvec.config import parts
from groundvec.model.folder import ModelFolder
from groundvec.runtime.files import write_json
from reproduction.papers import known, references
from tests.support.examples import change_model
from tests.support.refusals import refused
from tests.support.result_files import STS, described, of_system, overlapping, write_models
from tests.support.retrieval_scores import training

DATA = {name: parts.options_schema("sources", name)["card"] for name in parts.names("sources")}


@pytest.fixture
def folder(tmp_path):
    """A model of Flickr8k in `model`, with its scores in retrieval.csv and scores.csv."""
    parts = described("gru-8-max", training={"epochs": 8})
    [path] = write_models(tmp_path, ("flickr8k", "gru-8-max"), gru_8_max=parts)
    path.parent.rename(tmp_path / "model")
    change_model(
        tmp_path / "model",
        texts={"en": {"characters": "abc .", "counts": [1] * 5}},
        features={"backbone": "resnet152", "weights": "IMAGENET1K_V1"},
        provenance={"commit": "c1", "machine": "a machine", "versions": "python 3"},
    )
    retrieval().to_csv(tmp_path / "retrieval.csv", index=False)
    scores().to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path


def retrieval():
    """The ensemble of epochs 4+8 has an R@10 of 61.25 on the test set, and epoch 8 of 69.25."""
    return training("flickr8k", "gru-8-max", dev=(51.25, 51.25), test_sets=["1k"])


def scores(untrained=0.1):
    kinds = {("snapshot", "0"): untrained, ("snapshot", "8"): 0.3, ("ensemble", "4+8"): 0.4}
    return overlapping(of_system("flickr8k/gru-8-max/seed1", kinds, STS))


def make(folder, source="flickr8k", papers=("merkx_frank_2019",), rated=True, **options):
    files = [folder / "retrieval.csv", *([folder / "scores.csv"] if rated else [])]
    return card(folder / "model", DATA[source], references(papers), *files, **options)


def front(text):
    """Return the front matter, which hubs read."""
    assert text.startswith("---\n")
    return yaml.safe_load(text.split("---\n")[1])


def values(text):
    """Return the metrics in the model-index by data set and task."""
    [entry] = front(text)["model-index"]
    return {
        (result["dataset"]["name"], result["task"]["name"]): {
            metric["type"]: metric["value"] for metric in result["metrics"]
        }
        for result in entry["results"]
    }


def rows(text, heading):
    """Return the cells of the table below a heading, without the header row."""
    part = text.split(f"{heading}\n\n")[1].split("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in part.splitlines()[2:]]


def test_hubs_can_read_the_front_matter(folder):
    matter = front(make(folder))
    assert matter["library_name"] == "groundvec"
    assert matter["pipeline_tag"] == "sentence-similarity" and matter["datasets"] == ["flickr8k"]
    # For other licences, hubs require a name and an address.
    assert matter["license"] == "other" and matter["license_link"].startswith("https://")
    assert re.fullmatch("[a-z0-9-]+", matter["license_name"])
    assert front(make(folder, "scenes"))["license"] == "apache-2.0"
    hub = pytest.importorskip("huggingface_hub")
    read = hub.ModelCardData(**matter, ignore_metadata_errors=False)
    metrics = {(r.dataset_name, r.metric_type): r.metric_value for r in read.eval_results}
    assert metrics["STS 2012 MSRpar", "pearson_cosine"] == 0.4


def test_the_card_shows_the_ensemble_s_scores_on_the_test_set(folder):
    text = make(folder)
    found = values(text)
    assert found["Flickr8k, 1k images, en", "Find images by captions"] == {
        "recall_at_1": 0.1531,
        "recall_at_5": 0.3063,
        "recall_at_10": 0.6125,
    }
    rated = found["STS-B STS 12-16", "Agree with ratings of similarity"]
    assert rated == {"pearson_classifier": 0.7, "spearman_classifier": 0.69}
    # 61.25 rounds to even. The last column is R@10 by chance.
    _, second = rows(text, "### Retrieval on the test set")
    captions = ["en", "1k", "captions by images", "500"]
    assert second == [*captions, "15.3 ± 4.0", "30.6 ± 4.0", "61.2 ± 4.0", "3.5", "3.0"]
    first = "| STS 2012 | MSRpar | cosine | 750 | 0.400 | 0.38 to 0.44 | 0.390 | 0.100 | 24 | 0.200"
    assert first in text and "| all | weighted mean | cosine | 999 | 0.400 |" in text


def test_a_packed_model_is_compared_with_its_untrained_network(folder):
    """The packed model's own scores lack the untrained network, which is not packed."""
    packed = scores().query("epochs != '0'")
    packed.to_csv(folder / "scores.csv", index=False)
    scores(untrained=0.2).to_csv(folder / "training.csv", index=False)
    text = make(folder, untrained=folder / "training.csv")
    [first, *_] = rows(text, "### Agreement with ratings of similarity")
    assert (first[4], first[7]) == ("0.400", "0.200")


def test_a_single_snapshot_has_its_own_scores(folder):
    write_json(folder / "model" / "ensemble.json", {"epochs": [8], "best": 8})
    text = make(folder)
    found = values(text)
    assert found["Flickr8k, 1k images, en", "Find images by captions"]["recall_at_5"] == 0.3463
    assert (
        found["SICK Relatedness", "Agree with ratings of similarity"]["pearson_classifier"] == 0.5
    )
    assert "| the weights are those after epoch | 8 |" in text


def test_the_card_says_how_the_model_was_made_and_is_loaded(folder):
    text = make(folder, load="flickr8k")
    assert 'SentenceEncoder("flickr8k")' in text
    assert f'SentenceEncoder("{folder / "model"}")' in make(folder)
    facts = ("4 and 8", r"resnet152 (IMAGENET1K\_V1)", "c1")
    assert all(f"| {fact} |" in text for fact in facts)
    parts = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    assert parts == ModelFolder(folder / "model").description
    compile(text.split("```python\n")[1].split("```")[0], "card", "exec")


def test_the_card_names_weaknesses(folder):
    text = make(folder)
    assert "It reads English only" in text and "It knows 5 characters of English" in text
    # 100 - 61.25
    assert "39 of 100 searches do not have the right image among the first ten" in text
    assert "least on STS 2012 MSRpar (r = 0.40)" in text
    assert "most on STS-B STS 12-16 (r = 0.70" in text
    assert "before any training" not in text and "includes 0" not in text
    scores(untrained=0.4).to_csv(folder / "scores.csv", index=False)
    line = "On 4 of 4 subtasks, the same network agrees with the ratings as well before"
    assert line in make(folder)
    table = scores()
    table.loc[table["subtask"] == "HDL", "pearson_low"] = -0.01
    table.to_csv(folder / "scores.csv", index=False)
    assert "On STS 2016 HDL it may not agree with the ratings at all" in make(folder)


def test_the_card_counts_rated_pairs_with_a_training_caption(folder):
    assert "Some rated sentences are its training captions." in make(folder)
    scores().assign(seen=0).to_csv(folder / "scores.csv", index=False)
    assert "Some rated sentences" not in make(folder)


def test_a_remark_stands_on_cards_with_ratings_of_its_task_only(folder):
    remarks = {"SICK": "Graded twice.", "Scenes": "Computed."}
    text = make(folder, remarks=remarks)
    assert "Graded twice." in text and "Computed." not in text
    assert "Graded twice." not in make(folder, rated=False, remarks=remarks)


def test_several_languages_are_told_apart(folder):
    parts = described("gru-8-max") | {"languages": ["en", "de"], "text": {"name": "words"}}
    change_model(
        folder / "model",
        description=parts,
        texts={"en": {"words": ["a"]}, "de": {"words": ["b", "c"]}},
    )
    both = pd.concat([retrieval().assign(language=language) for language in ("en", "de")])
    both.to_csv(folder / "retrieval.csv", index=False)
    text = make(folder, "multi30k", ["calixto_liu_2017"], rated=False)
    assert "the similarity of sentences was not measured" in text
    assert front(text)["language"] == ["en", "de"]
    assert "It reads English and German only" in text and "It knows 2 words of German" in text
    languages = [row[0] for row in rows(text, "### Retrieval on the test set")]
    assert languages == ["en", "en", "de", "de"]


def test_a_bag_of_words_does_not_read_the_order_and_trees_need_a_parser(folder):
    trees = {"name": "trees", "parser": "en_core_web_sm", "vectors": "glove/glove.6B.50d.txt"}
    parts = {"encoder": {"name": "mean", "size": 50}, "text": trees}
    change_model(folder / "model", description=described("gru-8-max") | parts)
    text = make(folder)
    assert "does not read the order" in text and "parsed by en_core_web_sm first" in text
    assert "word vectors are glove.6B.50d.txt, which have terms of their own" in text


def test_the_card_names_the_source_of_captions_without_images(folder):
    named = "118,060 captions of 23,612 other images, without these images, from [Multi30k]("
    terms = "Captions without images: See the repository; the terms of Flickr30k"
    assert named not in make(folder) and terms not in make(folder)
    counts = {"captions": 118_060, "pictures": 23_612, "of_training_pictures": 7}
    change_model(folder / "model", more_captions={"source": "multi30k", **counts})
    text = make(folder)
    assert named in text and terms in text
    assert "7 captions of the training images in further languages come from the same" in text
    assert "- Elliott, D., Frank, S." in text.split("## Citation")[1]


def test_the_papers_are_cited(folder):
    """An item outside the papers cites the paper that its method extends."""
    papers = [name for name in known() if name != "merkx_frank_2019"]  # `ablation` follows it
    text = make(folder, papers=papers).split("## Citation")[1]
    for name in ("Merkx, Danny", "Socher, Richard", "Calixto, Iacer", "Hodosh, M."):
        assert f"- {name}" in text
    assert "https://doi.org/10.1017/S1351324919000196" in text


def test_every_source_of_data_has_its_terms():
    keys = {"name", "of", "reference", "address", "licence", "terms", "domain", "biases"}
    assert all(set(about) == keys for about in DATA.values())
    assert all(about["address"] for about in DATA.values() if about["licence"] == "other")


def test_scores_of_another_model_or_ensemble_are_refused(folder):
    write_json(folder / "model" / "ensemble.json", {"epochs": [3], "best": 3})
    with refused(r"^.*retrieval\.csv has no scores of epochs 3, which ens"):
        make(folder)
    change_model(folder / "model", seed=2)
    with refused(r"retrieval\.csv is not about the model flickr8k/gru-8-m"):
        make(folder)


def test_markup_in_a_stranger_s_model_is_escaped(folder):
    change_model(folder / "model", key="<script>x</script> [y](z) \x1b[2J | `w`")
    shown = r"\<script>x\</script> [y\](z) \\x1b[2J \| \`w\`"
    assert f"| key of the training | {shown} |" in make(folder)
