"""Texts of this study: sentences as trees over fixed word vectors (Socher et al. 2014)."""
