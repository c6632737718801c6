"""Table 4 of Calixto & Liu (2017): as Table 3, of longer lists."""

from reproduction.papers.calixto_liu_2017.table3 import make

__all__ = ["make"]
