"""Models on a hub for others: `user/name` or `user/name@revision`.

Only JSON, safetensors and the card are read or written, and nothing is executed. A revision is a
commit, so that the same name gives the same weights for ever; `model.json` has their checksums.
No file takes more time and space than the hub lists. The hub is that of the environment variable
HF_ENDPOINT, else huggingface.co.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.data.transfer import download as get
from groundvec.model import folder, shipped
from groundvec.model.stored import open_snapshot
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import cache
from groundvec.runtime.jobs import locked

if TYPE_CHECKING:
    from huggingface_hub import HfApi

log = logging.getLogger(__name__)

NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*(@[\w./-]+)?", re.ASCII)
COMMIT = re.compile("[0-9a-f]{40}")
# With digits, and not any characters, a snapshot's name cannot leave the folder.
FILE = re.compile(r"(model|ensemble)\.json|README\.md|snapshots/epoch-[0-9]{3,4}\.safetensors")
MOST = 2**34  # bytes of a model's files: 16 GiB
TIMEOUT = 10  # seconds until a hub answers


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
        with _client(f"{name} cannot be loaded from") as client:
            from huggingface_hub.utils import build_hf_headers

            info = client.model_info(
                repository, revision=revision or None, timeout=TIMEOUT, files_metadata=True
            )
            commit = str(info.sha)
            headers = build_hf_headers()
            files = {file.rfilename: file.size or 0 for file in info.siblings or []}
            if not COMMIT.fullmatch(commit):  # it names a folder
                raise ValueError(f"{commit} is no commit")
        if commit != revision:
            log.warning("load %s@%s to have the same weights again", repository, commit)
        revision = commit
        with locked(commits, name):
            url = f"{client.endpoint}/{repository}/resolve/{revision}"
            _fetch(name, url, files, headers, commits / revision)
    _check_sums(commits / revision, name)
    return commits / revision


@contextmanager
def _client(problem: str) -> Iterator["HfApi"]:
    """Yield a client of the hub; whatever it raises becomes an InputError about a problem."""
    with extra("hub"):
        from huggingface_hub import HfApi

    endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/")
    client = HfApi(endpoint=endpoint or None, library_name="groundvec")
    try:
        yield client
    except Exception as error:  # which one depends on what the hub answers
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        status = getattr(getattr(error, "response", None), "status_code", None)
        remedy = "check the network, or HF_ENDPOINT"
        if status in (401, 403, 404):
            remedy = "check the name, or use `hf auth login`"
        raise InputError(f"{problem} {client.endpoint} ({reason}): {remedy}") from None


def _fetch(
    name: str, url: str, files: dict[str, int], headers: dict[str, str], target: Path
) -> None:
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
        problem = get(f"{url}/{file}", part, file, files[file], headers)
        if not problem and part.stat().st_size != files[file]:
            problem = f"has {part.stat().st_size:,} bytes, and not the {files[file]:,} it lists"
            part.unlink()
        if problem:
            raise InputError(f"{name}: {url}/{file} {problem}: try it again later")
        part.replace(target / file)


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
    if not NAME.fullmatch(name) or "@" in name:
        raise InputError(f"{name} is no name on a hub: write user/name")
    path = shipped.find(source)
    files = [file.relative_to(path).as_posix() for file in folder.own_files(path)]
    for epoch in _check_sums(path, str(source))["saved"]:
        open_snapshot(path, epoch)
    with _client(f"{name} cannot be pushed to") as client:
        client.create_repo(name, private=private, exist_ok=True)
        commit = client.upload_folder(
            repo_id=name,
            folder_path=path,
            allow_patterns=files,
            commit_message=f"Push a model of groundvec: {path.name}",
        )
    return f"{name}@{commit.oid}"
