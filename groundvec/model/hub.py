"""Models on a hub for others: `user/name` or `user/name@revision`.

Only JSON, safetensors and the card are read or written, and nothing is executed. A revision is a
commit, so that the same name gives the same weights for ever; `model.json` has their checksums.
What a hub answers is checked, and takes no more time and space than it lists.
The hub is that of the environment variable HF_ENDPOINT, else huggingface.co.
"""

import logging
import os
import re
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from groundvec.config.schema import find_mistake
from groundvec.data.download import download as get
from groundvec.model import folder, shipped
from groundvec.model.stored import open_snapshot
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import SMALL, cache, read_json

log = logging.getLogger(__name__)

NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*(@[\w./-]+)?", re.ASCII)
COMMIT = re.compile("[0-9a-f]{40}")
ANSWER = {  # of a hub that is asked for a model
    "type": "object",
    "required": ["sha", "siblings"],
    "properties": {
        "sha": {"type": "string", "pattern": COMMIT.pattern},
        "siblings": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["rfilename", "size"],
                "properties": {
                    "rfilename": {"type": "string"},
                    "size": {"type": "integer", "minimum": 0},
                },
            },
        },
    },
}
# With digits, and not any characters, a snapshot's name cannot leave the folder.
FILE = re.compile(r"(model|ensemble)\.json|README\.md|snapshots/epoch-[0-9]{3,4}\.safetensors")
MOST = 2**34  # bytes of a model's files: 16 GiB


def find(model: str | Path) -> Path:
    """Find a model's folder here (`groundvec.model.shipped.find`), or download it from the hub.

    Raises:
        InputError: there is no such model here or on the hub, or the hub cannot be reached.
    """
    name = str(model)
    # A path with a mistake in its last part is no name on the hub.
    here = Path(name, "model.json").exists() or Path(name).parent.is_dir()
    if here or not NAME.fullmatch(name):
        return shipped.find(model)
    return download(name)


def download(name: str) -> Path:
    """Download a model, or find it in the user's cache, and return its folder.

    Args:
        name: `user/name`, the newest commit of its main branch, which is logged; or
            `user/name@revision`, a commit, a tag or a branch. A commit in the cache needs no
            network.

    Raises:
        InputError: there is no such model, it is too large or has no checksums, or the hub cannot
            be reached or answers anything else than a hub does.
    """
    repository, _, revision = name.partition("@")
    commits = cache() / "hub" / repository
    if not (COMMIT.fullmatch(revision) and (commits / revision / "model.json").exists()):
        answer = _ask(name, f"api/models/{repository}/revision/{quote(revision or 'main', '')}")
        if answer["sha"] != revision:
            log.warning("load %s@%s to have the same weights again", repository, answer["sha"])
        revision = answer["sha"]
        files = {file["rfilename"]: file["size"] for file in answer["siblings"]}
        _fetch(name, f"{repository}/resolve/{revision}", files, commits / revision)
    _check_sums(commits / revision, name)
    return commits / revision


def _ask(name: str, path: str) -> Any:
    """Ask the hub for a model's commit and files."""
    with TemporaryDirectory() as temporary:
        part = Path(temporary, "answer.json")
        if problem := get(f"{_endpoint()}/{path}?blobs=true", part, name, SMALL, _headers()):
            if re.search(r"HTTP Error 40[134]", problem):
                raise InputError(
                    f"there is no model {name}, neither as a folder here nor on {_endpoint()}, or "
                    "it is not yours to see: check the name, or use `hf auth login`"
                )
            raise InputError(f"{name}: {_endpoint()} cannot be used: it {problem}")
        try:
            answer = read_json(part, SMALL)
            problem = find_mistake(answer, ANSWER)
        except InputError:
            problem = "it is not JSON"
    if problem:
        raise InputError(f"{name}: {_endpoint()} answers as no hub does ({problem}): check its URL")
    return answer


def _fetch(name: str, path: str, files: dict[str, int], target: Path) -> None:
    """Download the files of a commit; `model.json` comes last, so that with it all are there."""
    ours = sorted(filter(FILE.fullmatch, files), key="model.json".__eq__)
    if "model.json" not in ours:
        raise InputError(f"{name} has no model.json: it is no model of this project")
    size = sum(files[file] for file in ours)
    if size > MOST:
        raise InputError(
            f"{name} has {size / 2**30:,.0f} GiB, more than any model of this kind: check its name"
        )
    for file in ours:
        part = target / f"{file}.part"
        if (target / file).exists():
            continue
        part.parent.mkdir(parents=True, exist_ok=True)
        problem = get(f"{_endpoint()}/{path}/{file}", part, file, files[file], _headers())
        if not problem and part.stat().st_size != files[file]:
            problem = f"has {part.stat().st_size:,} bytes, and not the {files[file]:,} it lists"
            part.unlink()
        if problem:
            raise InputError(f"{name}: {file} on {_endpoint()} {problem}: try it again later")
        part.replace(target / file)


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def _headers() -> dict[str, str]:
    """Who asks, if `hf auth login` or the environment variable HF_TOKEN says it."""
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    with suppress(OSError):
        token = os.environ.get("HF_TOKEN") or Path(home, "token").read_text("utf-8")
        return {"Authorization": f"Bearer {token.strip()}"}
    return {}


def _check_sums(path: Path, name: str) -> dict[str, Any]:
    """Read a model's description; InputError if it has no checksums of its weights."""
    about = folder.read_description(path)
    if set(about.get("sha256", {})) != {str(epoch) for epoch in about["saved"]}:
        raise InputError(f"{name} has no checksums of its weights: train it again, and push it")
    return about


def push(source: str | Path, name: str, private: bool = False) -> str:
    """Push a model's folder to the hub as one commit, and return its `user/name@revision`.

    The account is that of `hf auth login` or of the environment variable HF_TOKEN.

    Args:
        source: a trained model's folder, or the name of one that comes with this package.
        name: `user/name`, which is made if it is not there; `private`, only you can see it.

    Raises:
        InputError: there is no such model, or it is damaged; the name is none; the hub refuses it.
    """
    with extra("hub"):
        from huggingface_hub import HfApi

    if not NAME.fullmatch(name) or "@" in name:
        raise InputError(f"{name} is no name on a hub: write user/name")
    path = shipped.find(source)
    files = [file.relative_to(path).as_posix() for file in folder.own_files(path)]
    for epoch in _check_sums(path, str(source))["saved"]:
        open_snapshot(path, epoch)
    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT"), library_name="groundvec")
    try:
        api.create_repo(name, private=private, exist_ok=True)
        commit = api.upload_folder(
            repo_id=name,
            folder_path=path,
            allow_patterns=files,
            commit_message=f"Push a model of groundvec: {path.name}",
        )
    except Exception as error:  # which one depends on what the hub answers
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(
            f"{name} cannot be pushed to {_endpoint()} ({reason}): check the name, or use `hf auth "
            "login`"
        ) from None
    return f"{name}@{commit.oid}"
