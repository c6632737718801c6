"""The hardware that a program computes on."""

import torch


def choose(
    device: str | None = None, threads: int | None = None, precision: str = "float32"
) -> str:
    """Set torch up, and return the device: the one asked for, or else `cuda` where there is one.

    Float32 is computed as such. By default cuDNN's recurrent networks round to TF32 on recent GPUs,
    which makes an embedding depend on its batch (1e-3) and breaks the ties of equal captions.

    Args:
        threads: of the CPU; all, if none are named.
        precision: `float32`, or `tf32` for what GPUs do by default.
    """
    # Torch adds this attribute when it runs, so its types lack it.
    torch.backends.fp32_precision = (  # type: ignore[attr-defined]
        "tf32" if precision == "tf32" else "ieee"
    )
    torch.set_num_threads(threads or torch.get_num_threads())
    return device or ("cuda" if torch.cuda.is_available() else "cpu")
