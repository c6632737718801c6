"""Sources of captioned pictures that the library uses; `reproduction.sources` has the interface."""
