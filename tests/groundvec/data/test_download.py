"""Downloads against a server on this machine that can break in every way that a network does."""

import errno
import hashlib
import os
import re
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundvec.data import transfer
from groundvec.data.archives import unpack
from groundvec.data.download import fetch
from tests.support import ROOT
from tests.support.downloads import CONTENT, answering, reset, sha256
from tests.support.folders import tree
from tests.support.refusals import refused

NAME = "set/archive.zip"


@pytest.fixture
def target(tmp_path):
    (tmp_path / "set").mkdir()
    return tmp_path / NAME


@pytest.fixture
def part(target):
    return target.with_name("archive.zip.part")


def failure_of(*arguments):
    """Return the only line with which a download is refused."""
    with refused("") as caught:
        fetch(NAME, *arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    "content, asked, sent",
    [
        (CONTENT[:77_777], "bytes=77777-", len(CONTENT) - 77_777),
        (CONTENT, f"bytes={len(CONTENT)}-", 0),  # whole, but not renamed
        (CONTENT + b"more", None, len(CONTENT)),
    ],
)
def test_a_partial_download_is_resumed(server, target, part, content, asked, sent):
    part.write_bytes(content)
    fetch(NAME, server.source, target)
    assert tree(target.parent) == {target.name: CONTENT}
    assert server.sent == sent
    assert server.asked[-1:] == [asked]


def test_a_file_whose_sum_is_not_known_is_not_put_together_of_two(server, target, part):
    part.write_bytes(CONTENT[:77_777])
    server.faults = [{"cut": 1000}]
    fetch(NAME, {"urls": server.source["urls"]}, target)
    assert target.read_bytes() == CONTENT
    assert server.asked == [None, None]


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "head, piece, pause, said",
    [
        (OK + b"\r\n", b"x" * 2**16, 0, "has more than the expected 1000000 bytes"),
        (OK + b"Content-Length: 1000001\r\n\r\n", b"", 0, "has 1000001 bytes, not the expected"),
        (OK + b"\r\n", b"x", 0.01, "too slow"),
        (OK + b"Server: ", b"x", 0.01, "too slow"),
        (b"HTTP/1.1 302 F\r\nLocation: file:///x\r\n\r\n", b"x" * 2**16, 0, "is not allowed"),
        (b"HTTP/1.1 302 F\r\nLocation: http://[\r\n\r\n", b"", 0, "Invalid IPv6 URL"),
        (b"HTTP/1.1 302 F\r\nLocation: http://a:b/\r\n\r\n", b"", 0, "nonnumeric port"),
        (b"HTTP/1.1 416 R\r\n\r\n", b"", 0, "416"),
        (b"HTTP/1.1 204 N\r\n\r\n", b"", 0, "HTTP status 204"),
        (b"HTTP/1.1 206 P\r\nContent-Length: 1\r\n\r\nx", b"", 0, "HTTP status 206"),
    ],
)
def test_an_answer_that_is_none_or_does_not_end_is_one_line(
    target, monkeypatch, head, piece, pause, said
):
    monkeypatch.setattr(transfer, "PERIOD", 0.5)
    monkeypatch.setattr(transfer, "TIMEOUT", 0.5)
    monkeypatch.setattr(transfer, "MAX_BYTES", 1_000_000)
    with answering(head, piece, pause) as url:
        assert said in failure_of({"urls": [url]}, target)
    assert list(target.parent.iterdir()) == []


def test_a_server_that_accepts_no_connection_is_not_tried_beyond_the_period(target, monkeypatch):
    monkeypatch.setattr(transfer, "PERIOD", 0.3)
    monkeypatch.setattr(transfer, "TIMEOUT", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as busy,
        socket.create_connection(busy.getsockname()),  # fills the queue
    ):
        url = "http://127.0.0.1:{1}".format(*busy.getsockname())
        assert "too slow: 0 bytes" in failure_of({"urls": [url]}, target)


@pytest.mark.parametrize("name", ["archive.zip", "archive.zip.part", "archive.zip.sha256"])
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_no_folder_and_no_fifo_is_read_or_written(server, target, name, make):
    make(target.with_name(name))
    assert f"{name} is a folder, a FIFO" in failure_of({"urls": server.source["urls"]}, target)


def test_no_link_is_written_through(server, target, part):
    part.symlink_to("other")
    assert f"{part} is a link: delete it" in failure_of(server.source, target)
    assert list(target.parent.iterdir()) == [part]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=300).map(lambda block: block * 700),
    faults=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "cut": st.integers(0, 210_000),
                "no_ranges": st.booleans(),
                "chunked": st.booleans(),
                "status": st.sampled_from([500, 502, 503, 429]),
            },
        ),
        max_size=4,
    ),
)
def test_the_file_is_whole_after_any_failures(server, tmp_path_factory, content, faults):
    source = reset(server, content, faults)
    target = tmp_path_factory.mktemp("data") / NAME
    fetch(NAME, source, target)
    assert tree(target.parent) == {target.name: content}
    if not any(fault.get("no_ranges") for fault in faults):
        assert server.sent == len(content)  # no byte twice


def test_after_several_attempts_a_download_fails_and_keeps_its_part(server, target, part):
    server.faults = [{"cut": 1000}, {"cut": 500}] + [{"status": 500}] * 9
    with refused("500"):
        fetch(NAME, server.source, target)
    assert server.waits == [1, 1, 2, 4, 8]  # after an attempt that gained something it is 1 again
    assert tree(target.parent) == {part.name: CONTENT[:1500]}


def test_a_network_that_was_there_may_come_back(server, target, monkeypatch):
    """After some bytes came; one that never answered is another test's."""
    error = urllib.error.URLError(OSError(errno.ENETUNREACH, "Network is unreachable"))
    server.faults = [{"cut": 1000}]
    errors = iter([None, error, error])
    ask = urllib.request.OpenerDirector.open

    def urlopen(*arguments, **options):
        if raised := next(errors, None):
            raise raised
        return ask(*arguments, **options)

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", urlopen)
    fetch(NAME, server.source, target)
    assert target.read_bytes() == CONTENT
    assert server.waits == [1, 2, 4]


def test_a_download_without_a_network_is_one_line_with_the_file_s_place(target, monkeypatch):
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.upper(), raising=False)
    with refused(r"sts/STS\.zip is not public"):
        fetch("sts/STS.zip", {"urls": []}, target)
    url = "https://no-such-host.invalid/archive.zip"  # RFC 6761: never resolved
    message = failure_of({"urls": [url]}, target)
    for part in (f"{NAME} is missing", url, str(target), "mirror"):
        assert part in message


@pytest.mark.parametrize(
    "record, actual",
    [
        ({"sha256": "0" * 64}, sha256(CONTENT)),
        ({"md5": "0" * 32}, hashlib.md5(CONTENT).hexdigest()),
        ({"size": 12345}, str(len(CONTENT))),
    ],
)
def test_a_file_with_a_wrong_checksum_is_deleted_and_named(server, target, record, actual):
    message = failure_of({"urls": server.source["urls"], **record}, target)
    assert actual in message
    assert str(*record.values()) in message
    assert not tree(target.parent)


@pytest.mark.parametrize("broken", ["404", "refused", "another file", "breaks off"])
def test_the_second_address_is_used_where_the_first_fails(server, target, caplog, broken):
    [second] = server.source["urls"]
    first = second.replace("archive", "old")
    if broken == "refused":
        first = "http://127.0.0.1:9/old.zip"  # where nobody listens
    elif broken == "another file":
        server.others["/old.zip"] = b"something else"
    elif broken == "breaks off":
        server.faults = [{"cut": 1000}, *[{"status": 500}] * 5]
    else:
        server.faults = [{"status": 404}]
    fetch(NAME, server.source | {"urls": [first, second]}, target)
    assert tree(target.parent) == {target.name: CONTENT}
    [line] = [line for line in caplog.messages if line.endswith(f"trying {second} instead")]
    assert line.startswith(f"{NAME}: {first} ")
    if broken == "breaks off":  # of a file whose sum is known, the rest may come from elsewhere
        assert server.asked[-1] == "bytes=1000-"


def test_the_sum_of_a_first_download_holds_where_none_is_known(server, target):
    unknown = {"urls": server.source["urls"], "sha256": None}
    record = target.with_name("archive.zip.sha256")
    fetch(NAME, unknown, target)
    assert record.read_text() == f"{sha256(CONTENT)}  archive.zip\n"
    target.unlink()
    server.content = b"the file has changed at its address"
    message = failure_of(unknown, target)
    assert "which its first download had" in message
    for part in (sha256(CONTENT), sha256(server.content), f"delete {record}", str(target)):
        assert part in message
    assert not target.exists()
    record.unlink()
    fetch(NAME, unknown, target)
    assert record.read_text().startswith(sha256(server.content))
    target.write_bytes(b"changed here")
    with refused("which its first download had"):
        fetch(NAME, unknown, target)
    record.write_text("nonsense")
    with refused(r"archive.zip.sha256 does not begin with a SHA-256 sum"):
        fetch(NAME, unknown, target)


def test_an_archive_is_put_together_of_files_with_sums(server, target, caplog):
    caplog.set_level("INFO")
    base = server.source["urls"][0].removesuffix("archive.zip")
    members = {"a/one.txt": b"1" * 5000, "two.txt": b"2"}
    server.others = {f"/data/{name}": content for name, content in members.items()}
    sums = {name: sha256(content) for name, content in members.items()}
    source = {"urls": [f"{base}old/", f"{base}data/"], "members": sums}
    server.faults = [{"status": 404}, {}, *[{"status": 500}] * 5, {"status": 404}]
    with refused(r"archive.zip/two.txt is missing .*old/two.txt .*404"):
        fetch(NAME, source, target)  # of the second, data/ is asked first
    assert not target.exists()
    server.asked.clear()
    fetch(NAME, source | {"urls": source["urls"][1:]}, target)
    assert len(server.asked) == 1  # the first member is kept
    assert list(target.parent.iterdir()) == [target]
    unpack(target, target.parent / "unpacked")
    assert tree(target.parent / "unpacked") == members
    first = target.read_bytes()
    target.unlink()
    fetch(NAME, source | {"urls": source["urls"][1:]}, target)
    assert target.read_bytes() == first


def test_a_file_put_there_by_hand_is_kept_or_refused_not_overwritten(server, target):
    target.write_bytes(CONTENT)
    fetch(NAME, server.source, target)
    assert server.asked == []
    target.write_bytes(b"mine")
    with refused(re.escape(str(target))):
        fetch(NAME, server.source, target)
    assert target.read_bytes() == b"mine"


@pytest.fixture
def mirror(tmp_path):
    (tmp_path / "mirror/set").mkdir(parents=True)
    return tmp_path / "mirror"


@pytest.mark.parametrize("style", ["{}  {}", "{} *./{}"])
def test_the_sums_of_a_mirror_go_before_the_recorded_ones(server, target, mirror, style):
    smaller = b"the same pictures, smaller"
    (mirror / NAME).write_bytes(smaller)
    lines = [style.format("0" * 64, "set/another.zip"), style.format(sha256(smaller), NAME), ""]
    (mirror / "SHA256SUMS").write_text("\n".join(lines))
    for _ in range(2):  # the second time the file exists, and the mirror's checksum wins
        fetch(NAME, server.source, target, mirror)
        assert target.read_bytes() == smaller
    target.write_bytes(CONTENT)  # the published file is right too
    fetch(NAME, server.source, target, mirror)
    assert server.asked == []


def test_a_damaged_mirror_is_named(server, target, mirror):
    (mirror / NAME).write_bytes(CONTENT[:-1] + b"!")
    (mirror / "SHA256SUMS").write_text(f"{sha256(CONTENT)}  {NAME}\n")
    message = failure_of(server.source, target, mirror)
    for part in (str(mirror / NAME), sha256(CONTENT), sha256(CONTENT[:-1] + b"!")):
        assert part in message
    assert list(target.parent.iterdir()) == []


def test_every_recorded_source_has_addresses_and_a_sum():
    sources = yaml.safe_load((ROOT / "resources" / "sources.yaml").read_text())
    public = {name: source for name, source in sources.items() if source["urls"]}
    assert sources.keys() - public.keys() == {"sts/STS.zip", "sts/SICK.zip"}
    sums = ("sha256", "md5", "members")
    unverified = {name for name, source in public.items() if not any(map(source.get, sums))}
    assert unverified == {
        "pascal1k/index.html",
        "sts/Stsbenchmark.tar.gz",
        "infersent/infersent1.pkl",
        "infersent/infersent2.pkl",
        *(f"sts/STS{year}-en-test.zip" for year in range(2012, 2017)),
    }
    for name, source in public.items():
        assert source.keys() <= {"urls", "size", "sha256", "md5", "members"}
        assert all(url.startswith(("https://", "http://")) for url in source["urls"])
        assert re.fullmatch("[0-9a-f]{64}|[0-9a-f]{8}", source.get("sha256") or "0" * 64)
        if name.startswith("weights/"):  # torchvision's names end in the sum's first digits
            assert source["sha256"].startswith(re.search("-([0-9a-f]{8})[.]pth$", name)[1])
