"""Sources of captioned images that this study generates."""
