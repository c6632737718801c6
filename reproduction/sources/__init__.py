"""Sources of captioned pictures that this study makes itself."""
