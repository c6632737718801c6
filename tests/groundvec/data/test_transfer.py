"""Streams that do not end."""

import io
import time

import pytest

from groundvec.data import transfer


class Trickle:
    """A stream of a byte at a time."""

    def read1(self, _size):
        time.sleep(0.01)
        return b" "


def test_a_stream_that_is_longer_than_expected_or_too_slow_is_refused(tmp_path, monkeypatch):
    with pytest.raises(transfer._Unacceptable, match="has more than the expected 9 bytes"):
        transfer.write_stream(io.BytesIO(bytes(10)), tmp_path / "a", "a", limit=9)
    monkeypatch.setattr(transfer, "TIMEOUT", 0.01)
    with pytest.raises(transfer._Unacceptable, match="comes slower than 1,000 bytes per second"):
        transfer.write_stream(Trickle(), tmp_path / "b", "b")
