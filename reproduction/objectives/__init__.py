"""Objectives of this study (Socher et al. 2014)."""
