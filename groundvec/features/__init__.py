"""Image features: extraction by pretrained networks, and their files."""

from importlib.metadata import version

LIBRARIES = ("torch", "torchvision", "pillow", "pillow-heif")  # whose versions may change features


def versions() -> dict[str, str]:
    """Return the versions of the libraries that features depend on."""
    return {name: version(name) for name in LIBRARIES}
