"""Translations re-ranked by what is seen (Calixto & Liu 2017, section 8).

A translator (`network`, `training`) writes lists of hypotheses (`beam`, `nbest`), as any other
system may; `rerank` orders them anew by embeddings, with weights that `mira` finds, and `scores`
judges.
"""
