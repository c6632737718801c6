"""Models on a hub for others: `user/name` or `user/name@revision`, by huggingface_hub.

Only JSON, safetensors and the card are read or written, and nothing is executed. A revision is a
commit, so that the same name gives the same weights for ever; `model.json` has their checksums.
The hub is that of the environment variable HF_ENDPOINT, else huggingface.co.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from groundvec import folder, shipped
from groundvec.errors import InputError, extra

if TYPE_CHECKING:
    from huggingface_hub import HfApi

log = logging.getLogger(__name__)

NAME = re.compile(r"[\w.-]+/[\w.-]+(@[\w./-]+)?", re.ASCII)
# With digits, and not any characters, a snapshot's name cannot leave the folder.
FILES = [
    "model.json",
    "ensemble.json",
    "README.md",
    "snapshots/epoch-[0-9][0-9][0-9].safetensors",
    "snapshots/epoch-[0-9][0-9][0-9][0-9].safetensors",
]
MOST = 2**34  # bytes of a model's files: 16 GiB


def find(model: str | Path) -> Path:
    """The folder of a model: as `groundvec.shipped.find` says, or downloaded from the hub.

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
    """Download a model, or take it from the cache of huggingface_hub; returns its folder.

    Args:
        name: `user/name`, the newest commit of its main branch, which is logged; or
            `user/name@revision`, which is a commit, a tag or a branch. A commit that was downloaded
            before needs no network.

    Raises:
        InputError: there is no such model, it is too large or has no checksums, or the hub cannot
            be reached.
    """
    api = _api()
    from huggingface_hub import errors

    repository, _, revision = name.partition("@")
    with _one_line(name):
        try:
            info = api.model_info(repository, revision=revision or None, files_metadata=True)
        except (ConnectionError, errors.HTTPError) as error:
            answered = isinstance(error, errors.HfHubHTTPError)
            if answered or not re.fullmatch("[0-9a-f]{40}", revision):
                raise
            found = Path(
                api.snapshot_download(repository, revision=revision, local_files_only=True)
            )
        else:
            files = [file for file in info.siblings or [] if _ours(file.rfilename)]
            size = sum(file.size or 0 for file in files)
            if size > MOST:
                raise InputError(
                    f"{name} has {size / 2**30:,.0f} GiB, more than any model of this kind: check "
                    "its name"
                )
            commit = str(info.sha)
            if commit != revision:
                log.warning("load %s@%s to have the same weights again", repository, commit)
            found = Path(api.snapshot_download(repository, revision=commit, allow_patterns=FILES))
    if not (found / "model.json").exists():
        raise InputError(f"{name} has no model.json: it is no model of this project")
    about = folder.read_description(found)
    if set(about.get("sha256", {})) != {str(epoch) for epoch in about["saved"]}:
        raise InputError(f"{name} has no checksums of its weights: push it again")
    return found


def push(source: str | Path, name: str, private: bool = False) -> str:
    """Push a model's folder to the hub as one commit; returns its `user/name@revision`.

    Who pushes is said by `hf auth login` or the environment variable HF_TOKEN.

    Args:
        source: a trained model's folder, or the name of one that comes with this package.
        name: `user/name`, which is made if it is not there.
        private: whether only you can see what is made.

    Raises:
        InputError: there is no such model, the name is none, or the hub refuses it.
    """
    api = _api()
    if not NAME.fullmatch(name) or "@" in name:
        raise InputError(f"{name} is no name on a hub: write user/name")
    path = shipped.find(source)
    folder.read_description(path)
    with _one_line(name):
        api.create_repo(name, private=private, exist_ok=True)
        commit = api.upload_folder(
            repo_id=name,
            folder_path=path,
            allow_patterns=FILES,
            commit_message=f"Push a model of groundvec: {path.name}",
        )
    return f"{name}@{commit.oid}"


def _api() -> "HfApi":
    with extra("hub"):
        from huggingface_hub import HfApi

    return HfApi(endpoint=os.environ.get("HF_ENDPOINT"), library_name="groundvec")


def _ours(file: str) -> bool:
    return any(fnmatchcase(file, pattern) for pattern in FILES)


@contextmanager
def _one_line(name: str) -> Iterator[None]:
    """Turn the errors of huggingface_hub within the block into one line."""
    from huggingface_hub import constants, errors

    endpoint = os.environ.get("HF_ENDPOINT", constants.ENDPOINT)

    try:
        yield
    except InputError:
        raise
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError):
        raise InputError(
            f"there is no model {name}, neither as a folder here nor on {endpoint}, or "
            "it is not yours to see: check the name, or use `hf auth login`"
        ) from None
    except (OSError, ValueError, errors.HTTPError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{name}: {endpoint} cannot be used ({reason})") from None
