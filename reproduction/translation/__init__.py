"""Translate sentences, and re-rank translations by images (Calixto & Liu 2017, section 8).

A translator (`network`, `training`) writes lists of hypotheses (`beam`, `nbest`). Lists of another
system can be used as well. `rerank` sorts them by embeddings, with weights from `mira`, and
`scores` evaluates the first translations.
"""
