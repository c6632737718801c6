"""Models on a Hugging Face hub: `user/name` or `user/name@revision`.

Only a model's own files are downloaded: JSON, safetensors, graphs of image networks and the model
card. Nothing is executed. A revision is a commit, so that one name always loads the same weights;
`model.json` has their checksums. The environment variable HF_ENDPOINT names the hub, by default
huggingface.co.
"""

import json
import logging
import os
import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from groundvec.data import transfer
from groundvec.data.transfer import Failed
from groundvec.model import shipped
from groundvec.model.folder import ModelFolder
from groundvec.runtime.errors import InputError, extra
from groundvec.runtime.files import SMALL, cache, new_folder
from groundvec.runtime.jobs import locked

log = logging.getLogger(__name__)

NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*(@[\w./-]+)?", re.ASCII)
COMMIT = re.compile("[0-9a-f]{40}")
# The files to download. A snapshot's name has digits alone, so that it cannot leave the folder.
FILE = re.compile(
    r"(model|ensemble)\.json|README\.md|graphs/[0-9]{1,3}\.onnx"
    r"|(bank|classes|lexicon|snapshots/epoch-[0-9]{3,4})\.safetensors"
)
MAX_BYTES = 2**34  # of a model's files: 16 GiB
MAX_FILES = 1000
TIMEOUT = 5  # seconds until a hub answers


def find(model: str | Path | ModelFolder) -> ModelFolder:
    """Open a model's folder here, or download it from the hub.

    Args:
        model: see `groundvec.model.shipped.find_local`, or `download`. A Path is no name on a hub.
            A folder that is open is returned.

    Raises:
        InputError: there is no such model here or on the hub, or the hub cannot be reached.
    """
    if isinstance(model, ModelFolder):
        return model
    # `models/typo` matches NAME too. If the folder `models` exists, it was meant as a path.
    is_path = Path(model, "model.json").exists() or Path(model).parent.is_dir()
    if isinstance(model, Path) or is_path or not NAME.fullmatch(model):
        return ModelFolder(shipped.find_local(model))
    return download(model)


def download(name: str) -> ModelFolder:
    """Download a model, or find it in the user's cache, and open its folder.

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
    if COMMIT.fullmatch(revision) and _in_cache(commits / revision):
        return _with_sums(commits / revision, name)
    endpoint = _endpoint()
    try:
        headers = _headers()
        log.warning("asking %s for %s, for up to %d s", endpoint, repository, TIMEOUT)
        commit, sizes = _list_files(endpoint, repository, revision or "main", headers)
        if commit != revision:
            log.warning("load %s@%s to have the same weights again", repository, commit)
        with locked(commits, name):
            if not _in_cache(commits / commit):
                with new_folder(commits / commit) as temporary:
                    url = f"{endpoint}/{repository}/resolve/{commit}"
                    _download_files(url, name, sizes, headers, temporary)
    except Failed as error:
        remedy = "check the network, or HF_ENDPOINT"
        if error.status in (401, 403, 404):
            remedy = "check the name, or use `hf auth login`"
        raise InputError(f"{name} cannot be loaded from {endpoint} ({error}): {remedy}") from None
    return _with_sums(commits / commit, name)


def _in_cache(folder: Path) -> bool:
    """Return whether the cache has a commit's folder; InputError for a link, or for half of it."""
    for path in [*folder.parents[:2], folder, *folder.rglob("*")]:
        if path.is_symlink():
            raise InputError(f"{path} is a link, which no download made: delete it")
    if folder.exists() and not (folder / "model.json").exists():
        raise InputError(f"{folder} has no model.json: delete the folder")
    return folder.exists()


def _endpoint() -> str:
    """Return the hub's URL. A wrong one would end the import of huggingface_hub."""
    endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or "https://huggingface.co"
    try:
        url = urlsplit(endpoint)
        is_url = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:
        is_url = False
    if not is_url:
        raise InputError(
            f"HF_ENDPOINT is {endpoint}: set it to a URL, such as https://huggingface.co"
        )
    return endpoint


def _headers() -> dict[str, str]:
    """Return the headers of a request, with the user's token if there is one.

    Only the token comes from huggingface_hub. Its client holds an answer of any length in memory,
    unpacks it, and waits for ever if a server keeps sending.
    """
    with extra("hub"):
        from huggingface_hub import constants, get_token
    if constants.HF_HUB_OFFLINE:
        raise Failed("HF_HUB_OFFLINE is set")
    try:
        token = None if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else get_token()
    except UnicodeDecodeError:
        raise InputError(
            f"{constants.HF_TOKEN_PATH} is not UTF-8: use `hf auth login`, which writes it"
        ) from None
    return {"Authorization": f"Bearer {token}"} if token else {}


def _list_files(
    endpoint: str, repository: str, revision: str, headers: dict[str, str]
) -> tuple[str, dict[str, int]]:
    """Return the commit of a revision, and the sizes of its files that are to be downloaded."""
    url = f"{endpoint}/api/models/{repository}/revision/{quote(revision, '')}?blobs=true"
    answer = transfer.read(url, SMALL, TIMEOUT, headers)
    try:
        listed = json.loads(answer)
        commit = listed["sha"]
        sizes = {file["rfilename"]: file["size"] for file in listed["siblings"]}
        sizes = {name: int(size) for name, size in sizes.items() if FILE.fullmatch(name)}
        if not COMMIT.fullmatch(commit):  # it names a folder
            raise ValueError(f"{commit} is no commit")
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise Failed(f"it does not answer as a hub does: {error!r}") from None
    return commit, sizes


def _download_files(
    url: str, name: str, sizes: dict[str, int], headers: dict[str, str], target: Path
) -> None:
    """Download the files of a commit."""
    if "model.json" not in sizes:
        raise InputError(f"{name} has no model.json: it is no model of this project")
    total = sum(sizes.values())
    if total > MAX_BYTES or len(sizes) > MAX_FILES:
        raise InputError(
            f"{name} has {len(sizes):,} files and {total / 2**30:,.0f} GiB, more than any model of "
            "this kind: check its name"
        )
    for file, size in sizes.items():
        path = target / file
        path.parent.mkdir(exist_ok=True)
        transfer.download(f"{url}/{file}", path, file, size, headers)


def _with_sums(path: Path, name: str) -> ModelFolder:
    """Open a model's folder; InputError if its description has no checksums of its weights."""
    model = ModelFolder(path)
    if set(model.metadata.get("sha256", {})) != set(map(str, model.metadata["saved"])):
        raise InputError(f"{name} has no checksums of its weights: train it again, and push it")
    return model
