"""The tables and figures of Merkx & Frank (2019), a file each, and a few more of the same data."""
