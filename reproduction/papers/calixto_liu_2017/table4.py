"""Table 4 of Calixto & Liu (2017): Table 3 for longer lists."""

from reproduction.papers.calixto_liu_2017.table3 import make

__all__ = ["make"]
