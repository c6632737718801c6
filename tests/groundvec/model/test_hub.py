"""Models on a hub, which is a small one on the loopback interface."""

import hashlib
import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from groundvec import SentenceEncoder
from groundvec.model import hub
from groundvec.model.shipped import NEWEST, PRETRAINED
from groundvec.runtime.errors import InputError
from tests.support.refusals import refused

SHIPPED = PRETRAINED / NEWEST["flickr8k"]


ABOUT = json.loads((SHIPPED / "model.json").read_text())
WITHOUT_SUMS = json.dumps(ABOUT | {"sha256": {}}).encode()
WEIGHTS = f"snapshots/epoch-{ABOUT['saved'][0]:03}.safetensors"


class Hub(BaseHTTPRequestHandler):
    """A hub with the requests that huggingface_hub needs to list and download files."""

    repositories: dict[str, dict[str, dict[str, bytes]]]  # name -> commit -> file -> content

    def log_message(self, *arguments):
        pass

    def answer(self, content=b"", status=200, **headers):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": len(data), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def do_GET(self):
        parts = self.path.partition("?")[0].strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            name = "/".join(parts[2:4])
            commit = parts[5] if len(parts) > 5 else "main"
            file = None
        else:
            name = "/".join(parts[:2])
            commit = parts[3]
            file = "/".join(parts[4:])
        commits = self.repositories.get(name, {})
        commit = next(reversed(commits), commit) if commit == "main" else commit
        if commit not in commits:
            code = "RevisionNotFound" if commits else "RepoNotFound"
            return self.answer(status=404, X_Error_Code=code)
        files = commits[commit]
        if file is None:
            listed = [
                {"type": "file", "size": len(data) + self.claimed, "oid": digest(data)}
                | {"path": each, "rfilename": each}
                for each, data in files.items()
            ]
            if "tree" in parts:
                return self.answer(listed)
            return self.answer({"id": name, "sha": commit, "siblings": listed})
        if file not in files:
            return self.answer(status=404, X_Error_Code="EntryNotFound")
        named = {"ETag": f'"{digest(files[file])}"', "X_Repo_Commit": commit}
        self.answer(files[file], **named)

    do_HEAD = do_GET
    claimed = 0  # bytes added to the listed size of every file


def digest(data):
    return hashlib.sha1(data).hexdigest()


@pytest.fixture
def repositories(monkeypatch, tmp_path):
    """The hub's content; a command in `run` sees the hub by its environment."""
    handler = type("Mine", (Hub,), {"repositories": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    monkeypatch.chdir(tmp_path)
    yield handler
    server.shutdown()
    server.server_close()


def put(repositories, changes=()):
    """Put the shipped model on the hub, with changed files (name, content); return its commit."""
    files = {
        path.relative_to(SHIPPED).as_posix(): path.read_bytes()
        for path in SHIPPED.rglob("*")
        if path.is_file()
    }
    files |= dict(changes)
    commit = digest(repr(sorted(files.items())).encode())
    repositories.repositories.setdefault("user/model", {})[commit] = files
    return commit


def test_a_model_of_the_hub_gives_the_same_vectors(repositories, caplog):
    commit = put(repositories)
    loaded = SentenceEncoder("user/model", device="cpu")
    expected = SentenceEncoder(SHIPPED, device="cpu").encode("A dog runs.")
    np.testing.assert_array_equal(loaded.encode("A dog runs."), expected)
    assert f"load user/model@{commit} to have the same weights again" in caplog.text


@pytest.mark.parametrize(("variable", "sent"), [("HF_TOKEN", "Bearer hf_x"), ("UNSET", None)])
def test_the_user_s_token_is_sent_to_the_hub(repositories, monkeypatch, variable, sent):
    commit = put(repositories)
    asked = []
    answer = repositories.do_GET
    monkeypatch.setenv(variable, "hf_x")

    def note(self):
        asked.append((self.path.split("?")[0], self.headers["Authorization"]))
        answer(self)

    monkeypatch.setattr(repositories, "do_GET", note)
    folder = hub.download("user/model").path
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    expected = {f"/user/model/resolve/{commit}/{file}" for file in files}
    assert {path for path, _ in asked} == {"/api/models/user/model/revision/main", *expected}
    assert {token for _, token in asked} == {sent}


def test_a_commit_stays_the_same_and_needs_no_network_again(repositories, monkeypatch, caplog):
    first = put(repositories)
    changed = ABOUT | {"model": "another"}
    put(repositories, {"model.json": json.dumps(changed).encode()})
    for _ in range(2):
        folder = hub.download(f"user/model@{first}").path
        assert json.loads((folder / "model.json").read_text())["model"] != "another"
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "to have the same weights again" not in caplog.text


def test_only_json_safetensors_and_the_card_are_downloaded(repositories):
    names = ("evil.py", "snapshots/epoch-../../x.safetensors", "snapshots/epoch-001.pkl")
    put(repositories, dict.fromkeys(names, b"x"))
    folder = hub.download("user/model").path
    of_hub, shipped = (
        {path.relative_to(of).as_posix() for path in of.rglob("*") if path.is_file()}
        for of in (folder, SHIPPED)
    )
    assert of_hub == shipped


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"model.json": b"{"}, "model.json is not JSON"),
        ({"model.json": b"[]"}, "model.json does not describe a model"),
        ({"model.json": WITHOUT_SUMS}, "user/model has no checksums of its weights"),
        ({WEIGHTS: b"x"}, "its checksum is not that"),
    ],
)
def test_a_model_that_is_damaged_or_of_another_form_is_refused(repositories, changes, error):
    put(repositories, changes)
    with refused(error):
        SentenceEncoder("user/model")


def test_a_missing_or_too_large_model_is_one_line(repositories):
    repositories.repositories["user/empty"] = {"0" * 40: {"README.md": b"x"}}
    put(repositories)
    for name, error in [
        ("user/none", "user/none cannot be loaded from http.*404.*: check the name, or use `hf"),
        ("user/model@" + "1" * 40, "user/model@1.* cannot be loaded from http"),
        ("user/empty", "user/empty has no model.json: it is no model of this project"),
    ]:
        with refused(error):
            SentenceEncoder(name)
    repositories.claimed = 2**40
    with refused("more than any model of this kind"):
        SentenceEncoder("user/model")


@pytest.mark.parametrize(
    "answer",
    [b"<html>", {"sha": "../../../evil"}, {"siblings": [{"rfilename": "model.json", "size": -1}]}],
)
def test_an_answer_that_is_no_hubs_is_one_line_and_writes_nothing(
    repositories, monkeypatch, tmp_path, answer
):
    whole = {"sha": put(repositories), "siblings": [{"rfilename": "model.json", "size": 2}]}
    content = {**whole, **answer} if answer and isinstance(answer, dict) else answer
    monkeypatch.setattr(repositories, "do_GET", lambda self: self.answer(content))
    with refused(r"cannot be loaded from|has no model\.json"):
        hub.download("user/model")
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("path", ["/api/", "/resolve/"])
def test_a_hub_that_never_ends_is_one_line(repositories, monkeypatch, tmp_path, path):
    put(repositories)
    stop = threading.Event()
    answer = repositories.do_GET

    def never_end(self):
        if path not in self.path:
            return answer(self)
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while not stop.wait(0):
                self.wfile.write(b" " * 2**20)

    monkeypatch.setattr(repositories, "do_GET", never_end)
    try:
        with refused(r"has more than the expected \d+ bytes"):
            hub.download("user/model")
    finally:
        stop.set()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("endpoint", "error"),
    [
        ("http://127.0.0.1:9", r"cannot be loaded from http://.*: check the network"),
        *[
            (each, "HF_ENDPOINT is .*: set it to a URL")
            for each in ["http://[", "hub:80", "https://"]
        ],
    ],
)
def test_a_wrong_endpoint_is_one_line(repositories, monkeypatch, endpoint, error):
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with refused(error):
        hub.download("user/model")


@pytest.mark.parametrize("link", ["user", "user/model", "user/model/{}", "user/model/lock"])
def test_no_link_in_the_cache_is_followed(repositories, tmp_path, link):
    commit = put(repositories)
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
