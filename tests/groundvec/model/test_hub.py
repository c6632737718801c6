"""Models on a hub, which is a server on this machine."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from groundvec import SentenceEncoder
from groundvec.model import hub
from groundvec.model.shipped import NEWEST, PRETRAINED
from groundvec.runtime.errors import InputError
from tests.support.downloads import answering
from tests.support.folders import tree
from tests.support.refusals import refused

SHIPPED = PRETRAINED / NEWEST["flickr8k"]
FILES = tree(SHIPPED)
ABOUT = json.loads(FILES["model.json"])
WITHOUT_SUMS = json.dumps(ABOUT | {"sha256": {}}).encode()
WEIGHTS = f"snapshots/epoch-{ABOUT['saved'][0]:03}.safetensors"


ANSWERS = "/api/models/{}/revision/{}?blobs=true"  # where a hub lists the files of a commit


@pytest.fixture
def hub_server(server, monkeypatch, tmp_path):
    """A hub without models, whose address is in the environment."""
    server.content = None
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    monkeypatch.chdir(tmp_path)
    return server


def put(hub_server, files, name="user/model", claimed=0):
    """Put a model on the hub, which adds `claimed` to the sizes of its files; return its commit."""
    commit = hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()
    listed = [{"rfilename": path, "size": len(data) + claimed} for path, data in files.items()]
    answer = json.dumps({"sha": commit, "siblings": listed}).encode()
    for revision in ("main", commit):
        hub_server.others[ANSWERS.format(name, revision)] = answer
    for path, data in files.items():
        hub_server.others[f"/{name}/resolve/{commit}/{path}"] = data
    return commit


def test_a_model_of_the_hub_gives_the_same_vectors(hub_server, caplog):
    commit = put(hub_server, FILES)
    loaded = SentenceEncoder("user/model", device="cpu")
    expected = SentenceEncoder(SHIPPED, device="cpu").encode("A dog runs.")
    np.testing.assert_array_equal(loaded.encode("A dog runs."), expected)
    assert f"load user/model@{commit} to have the same weights again" in caplog.text


@pytest.mark.parametrize("variable, sent", [("HF_TOKEN", "Bearer hf_x"), ("UNSET", None)])
def test_the_user_s_token_is_sent_to_the_hub(hub_server, monkeypatch, variable, sent):
    commit = put(hub_server, FILES)
    monkeypatch.setenv(variable, "hf_x")
    hub.download("user/model")
    files = {f"/user/model/resolve/{commit}/{path}" for path in FILES}
    assert {*hub_server.paths} == {ANSWERS.format("user/model", "main"), *files}
    assert {*hub_server.tokens} == {sent}


def test_a_token_that_is_not_utf8_is_named(hub_server, monkeypatch, tmp_path):
    (tmp_path / "token").write_text("hf_x", "utf-16")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    with refused("token is not UTF-8: use `hf auth login`, which writes it"):
        hub.download("user/model")


def test_a_commit_stays_the_same_and_needs_no_network_again(hub_server, monkeypatch, caplog):
    first = put(hub_server, FILES)
    changed = ABOUT | {"model": "another"}
    put(hub_server, FILES | {"model.json": json.dumps(changed).encode()})
    for _ in range(2):
        assert hub.download(f"user/model@{first}").metadata["model"] != "another"
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "to have the same weights again" not in caplog.text


def test_only_json_safetensors_and_the_card_are_downloaded(hub_server):
    names = ("evil.py", "snapshots/epoch-../../x.safetensors", "snapshots/epoch-001.pkl")
    put(hub_server, FILES | dict.fromkeys(names, b"x"))
    assert tree(hub.download("user/model").path) == FILES


@pytest.mark.parametrize(
    "changes, error",
    [
        ({"model.json": b"{"}, "model.json is not JSON"),
        ({"model.json": WITHOUT_SUMS}, "user/model has no checksums of its weights"),
        ({WEIGHTS: b"x"}, "its checksum is not that"),
    ],
)
def test_a_model_that_is_damaged_or_of_another_form_is_refused(hub_server, changes, error):
    put(hub_server, FILES | changes)
    with refused(error):
        SentenceEncoder("user/model")


def test_a_missing_or_too_large_model_is_one_line(hub_server):
    put(hub_server, {"README.md": b"x"}, "user/empty")
    put(hub_server, FILES, "user/large", 2**40)
    put(hub_server, FILES, "user/longer", -1)
    for name, error in [
        ("user/none", "user/none cannot be loaded from http.*404.*: check the name, or use `hf"),
        ("user/model@" + "1" * 40, "user/model@1.* cannot be loaded from http"),
        ("user/empty", "user/empty has no model.json: it is no model of this project"),
        ("user/large", "more than any model of this kind"),
        ("user/longer", r"has \d+ bytes, not the expected \d+"),
    ]:
        with refused(error):
            SentenceEncoder(name)


@pytest.mark.parametrize(
    "answer",
    [
        "<html>",
        '{"sha": "../../../evil", "siblings": [{"rfilename": "model.json", "size": 2}]}',
        '{"sha": "COMMIT", "siblings": [{"rfilename": "model.json", "size": -1}]}',
    ],
)
def test_an_answer_that_is_no_hubs_is_one_line_and_writes_nothing(hub_server, tmp_path, answer):
    hub_server.content = answer.replace("COMMIT", "0" * 40).encode()
    with refused("cannot be loaded from"):
        hub.download("user/model")
    assert not list(tmp_path.rglob("*.json"))


def test_a_hub_that_never_ends_is_one_line(hub_server, monkeypatch, tmp_path):
    with answering(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 2**20) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        with refused(r"has more than the expected \d+ bytes"):
            hub.download("user/model")
    assert not tree(tmp_path)


@pytest.mark.parametrize(
    "endpoint, error",
    [
        ("http://127.0.0.1:9", r"cannot be loaded from http://.*: check the network"),
        ("http://[", "HF_ENDPOINT is .*: set it to a URL"),
        ("hub:80", "HF_ENDPOINT is .*: set it to a URL"),
        ("https://", "HF_ENDPOINT is .*: set it to a URL"),
    ],
)
def test_a_wrong_endpoint_is_one_line(hub_server, monkeypatch, endpoint, error):
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with refused(error):
        hub.download("user/model")


@pytest.mark.parametrize("link", ["user", "user/model", "user/model/{}", "user/model/lock"])
def test_no_link_in_the_cache_is_followed(hub_server, tmp_path, link):
    commit = put(hub_server, FILES)
    path = tmp_path / "cache/groundvec/hub" / link.format(commit)
    path.parent.mkdir(parents=True)
    mine = tmp_path / "mine"
    if link.endswith("lock"):
        mine.write_text("mine")
    else:
        mine.mkdir()
    path.symlink_to(mine)
    with pytest.raises((InputError, OSError), match="link"):
        hub.download("user/model")
    assert mine.read_text() == "mine" if mine.is_file() else not any(mine.iterdir())


@pytest.mark.parametrize(
    "name", ["results/none", "a/b/c", "../x/y", "user/na me", Path("folder/of-mine")]
)
def test_a_path_with_a_mistake_asks_no_hub(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(hub, "download", lambda name: pytest.fail("asked the hub"))
    with refused("there is no model"):
        SentenceEncoder(name)
