"""Encoders of this study, over fixed word vectors (Socher et al. 2014)."""
