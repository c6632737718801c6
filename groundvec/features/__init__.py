"""Image features: extraction by pretrained networks, and their files."""

from importlib.metadata import version

LIBRARIES = ("onnxruntime", "pillow", "pillow-heif")  # whose versions may change features
IN_TORCH = ("torch", "torchvision", "pillow", "pillow-heif")  # the same, on a GPU or in bfloat16


def versions(libraries: tuple[str, ...] = LIBRARIES) -> dict[str, str]:
    """Return the versions of the libraries that features depend on."""
    return {name: version(name) for name in libraries}
