"""Baselines of the papers; `groundvec.baselines` has the interface of their modules."""
