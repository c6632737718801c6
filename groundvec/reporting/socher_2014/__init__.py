"""The tables and figures of Socher et al. (2014), a file each, and a few more of the same data."""
