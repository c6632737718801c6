"""A cell of the architecture grid, named as the paper names it: `gru-2048-attention`."""

import re
from typing import NamedTuple

from groundvec.errors import InputError

LARGEST = 16384  # four times the paper's largest; an LSTM of it takes 8 GiB to train


class Cell(NamedTuple):
    """What varies in the grid (Merkx & Frank 2019, section 3.3)."""

    rnn: str  # gru or lstm
    size: int  # of the embedding: twice the units of one direction
    pooling: str  # attention or max

    @classmethod
    def parse(cls, name: str) -> "Cell":
        """Read a name such as `gru-2048-attention`; InputError if it is none."""
        match = re.fullmatch(r"(gru|lstm)-([1-9]\d{0,5})-(attention|max)", name)
        if not match or int(match[2]) % 2 or int(match[2]) > LARGEST:
            raise InputError(
                f"unknown cell {name!r}: write it as RNN-SIZE-POOLING with RNN gru or lstm, SIZE "
                f"an even embedding size up to {LARGEST} and POOLING attention or max, e.g. "
                "gru-2048-attention"
            )
        return cls(match[1], int(match[2]), match[3])
