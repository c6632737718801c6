"""Models on a Hugging Face hub: `user/name` or `user/name@revision`.

Only a model's own files are downloaded: JSON, safetensors, graphs of image networks and the model
card. Nothing is executed. A revision is a commit, so that one name always loads the same weights;
`model.json` has their checksums. The environment variable HF_ENDPOINT names the hub, by default
huggingface.co.
"""

import logging
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundvec.model import folder, shipped
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import cache
from groundvec.runtime.jobs import locked

if TYPE_CHECKING:
    from huggingface_hub import HfApi

log = logging.getLogger(__name__)

NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*(@[\w./-]+)?", re.ASCII)
COMMIT = re.compile("[0-9a-f]{40}")
# The files to download. A snapshot's name has digits alone, so that it cannot leave the folder.
FILE = re.compile(
    r"(model|ensemble)\.json|README\.md|graphs/[0-9]+\.onnx"
    r"|(bank|snapshots/epoch-[0-9]{3,4})\.safetensors"
)
MAX_BYTES = 2**34  # of a model's files: 16 GiB
TIMEOUT = 5  # seconds until a hub answers


def find(model: str | Path) -> Path:
    """Find a model's folder here, or download it from the hub.

    Args:
        model: see `groundvec.model.shipped.find_local`, or `download`. A Path is no name on a hub.

    Raises:
        InputError: there is no such model here or on the hub, or the hub cannot be reached.
    """
    # `models/typo` matches NAME too. If the folder `models` exists, it was meant as a path.
    is_path = Path(model, "model.json").exists() or Path(model).parent.is_dir()
    if isinstance(model, Path) or is_path or not NAME.fullmatch(model):
        return shipped.find_local(model)
    return download(model)


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
    in_cache = COMMIT.fullmatch(revision) and (commits / revision / "model.json").exists()
    if not in_cache:
        with _client(name) as client:
            log.warning("asking %s for %s, for up to %d s", client.endpoint, repository, TIMEOUT)
            info = client.model_info(
                repository, revision=revision or None, timeout=TIMEOUT, files_metadata=True
            )
            commit = str(info.sha)
            if not COMMIT.fullmatch(commit):  # it names a folder
                raise ValueError(f"{commit} is no commit")
            if commit != revision:
                log.warning("load %s@%s to have the same weights again", repository, commit)
            revision = commit
            sizes = {file.rfilename: file.size or 0 for file in info.siblings or []}
            with locked(commits, name):
                _download_files(client, repository, revision, sizes, commits / revision)
    _check_sums(commits / revision, name)
    return commits / revision


@contextmanager
def _client(name: str) -> Iterator["HfApi"]:
    """Yield a client of the hub; whatever it raises becomes an InputError about a model."""
    with extra("hub"):
        from huggingface_hub import HfApi

    endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/")
    client = HfApi(endpoint=endpoint or None, library_name="groundvec")
    try:
        yield client
    except InputError:
        raise
    except Exception as error:  # of many types, by the hub's answer
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        status = getattr(getattr(error, "response", None), "status_code", None)
        remedy = "check the network, or HF_ENDPOINT"
        if status in (401, 403, 404):
            remedy = "check the name, or use `hf auth login`"
        raise InputError(
            f"{name} cannot be loaded from {client.endpoint} ({reason}): {remedy}"
        ) from None


def _download_files(
    client: "HfApi", repository: str, commit: str, sizes: dict[str, int], target: Path
) -> None:
    """Download the files of a commit; `model.json` comes last, and marks the folder as complete."""
    files = sorted(filter(FILE.fullmatch, sizes), key="model.json".__eq__)
    if "model.json" not in files:
        raise InputError(f"{repository} has no model.json: it is no model of this project")
    total = sum(sizes[file] for file in files)
    if total > MAX_BYTES:
        raise InputError(
            f"{repository} has {total / 2**30:,.0f} GiB, more than any model of this kind: check "
            "its name"
        )
    for file in files:
        bar = _bounded_bar(file, sizes[file])
        client.hf_hub_download(repository, file, revision=commit, local_dir=target, tqdm_class=bar)
    shutil.rmtree(target / ".cache", ignore_errors=True)  # the client's notes for resuming


def _bounded_bar(file: str, size: int) -> Any:
    """Return a class of progress bars that stops a download after `size` bytes.

    The client writes whatever a server sends, without end if need be, and compares the sizes only
    afterwards. But it reports each block to its progress bar before it writes the block.
    """
    from huggingface_hub.utils import tqdm

    class Bar(tqdm):
        received = 0

        def update(self, n: float | None = 1) -> bool | None:
            self.received += int(n or 0)
            if self.received > size:
                raise ValueError(f"{file} has more than the {size} bytes that the hub lists")
            return super().update(n)

    return Bar


def _check_sums(path: Path, name: str) -> None:
    """Raise InputError if a model's description has no checksums of its weights."""
    description = folder.read_description(path)
    if set(description.get("sha256", {})) != {str(epoch) for epoch in description["saved"]}:
        raise InputError(f"{name} has no checksums of its weights: train it again, and push it")
