"""The public files of STS 2012-2016, STS-B and SICK, in the user's cache."""

import os
from collections.abc import Collection
from pathlib import Path

import yaml

from groundvec.data.archives import unpack
from groundvec.data.download import fetch
from groundvec.runtime.files import cache
from groundvec.runtime.jobs import locked

SOURCES = Path(__file__).with_name("sources.yaml")
# The folders that have a task's files: the first one of a mirror, the others of public archives. No
# public archive has all of STS; the two of a mirror save nine downloads.
FOLDERS = {f"STS {year}": ["STS", f"STS{year}-en-test"] for year in range(2012, 2017)}
FOLDERS["STS-B"] = ["STS", "stsbenchmark"]
FOLDERS["SICK"] = ["SICK", "sick_train", "sick_trial", "sick_test_annotated"]
# The archives to unpack into them.
MIRRORED = {"STS": "STS.zip", "SICK": "SICK.zip"}
PUBLIC = {name: f"{name}.zip" for _, *names in FOLDERS.values() for name in names}
PUBLIC["stsbenchmark"] = "Stsbenchmark.tar.gz"


def chosen(
    folder: Path, mirror: str | None, tasks: Collection[str] = tuple(FOLDERS)
) -> dict[str, str]:
    """Choose the folders in `folder` to unpack the rated sentences into, each with its archive.

    Folders that exist already stay in use, so that another mirror changes nothing.

    Args:
        folder: the folder of the unpacked archives.
        mirror: the folder of a mirror, or empty.
        tasks: keys of `FOLDERS`.
    """
    names = {name for task in tasks for name in FOLDERS[task]}
    mirrored = {name: archive for name, archive in MIRRORED.items() if name in names}
    public = {name: archive for name, archive in PUBLIC.items() if name in names}
    for archives in (mirrored, public):
        if all((folder / name).is_dir() for name in archives):
            return archives
    if mirror and all(Path(mirror, "sts", archive).exists() for archive in mirrored.values()):
        return mirrored
    return public


def fetch_rated(tasks: Collection[str]) -> list[Path]:
    """Fetch the archives of some tasks into the cache and unpack them, if they are not there yet.

    If `$GROUNDVEC_MIRROR` is set, that folder is searched before the public addresses.

    Returns:
        The folders, for `groundvec.data.ratings.read_sts`.

    Raises:
        InputError: an archive cannot be fetched, or has another sum than published; or another
            process is fetching them.
    """
    folder = cache() / "sts"
    mirror = os.environ.get("GROUNDVEC_MIRROR") or None
    archives = chosen(folder, mirror, tasks)
    if all((folder / name).is_dir() for name in archives):
        return [folder / name for name in archives]
    sources = yaml.safe_load(SOURCES.read_text("utf-8"))
    with locked(folder, "the rated sentences"):
        for name, archive in archives.items():
            if not (folder / name).is_dir():
                fetch(f"sts/{archive}", sources[f"sts/{archive}"], folder / archive, mirror)
                unpack(folder / archive, folder / name)
    return [folder / name for name in archives]
