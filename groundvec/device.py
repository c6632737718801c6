"""The device that torch computes on: its choice, precision, seeds and determinism."""

import os
from typing import Any

import torch

from groundvec.runtime.errors import InputError

# Torch's names of the precisions of products: on a CPU, and on a GPU, where cuDNN's recurrent
# networks cannot round float32 to bfloat16.
PRECISIONS = {"float32": ("ieee", "ieee"), "bfloat16": ("bf16", "tf32")}


def choose(
    device: str | None = None, threads: int | None = None, precision: str = "float32"
) -> str:
    """Set torch up, and return the device.

    Args:
        device: such as `cpu` or `cuda`; by default `cuda` if available.
        threads: CPU threads; by default torch's own number: OMP_NUM_THREADS, or the physical cores.
        precision: the precision of the factors of products, one of `PRECISIONS`. CPUs without
            instructions for bfloat16 ignore it; a GPU rounds to TF32 (ten bits) instead.
    """
    backends: Any = torch.backends  # its types lack the attributes below
    # Float32 is set too. By default, cuDNN's recurrent networks round to TF32 on recent GPUs: then
    # an embedding depends on its batch (1e-3), and equal captions no longer have equal scores.
    cpu_precision, gpu_precision = PRECISIONS[precision]
    backends.fp32_precision = cpu_precision
    # The setting for all backends has no effect on cuDNN in torch 2.11 (pytorch issue 179445).
    for products in (backends.cuda.matmul, backends.cudnn.conv, backends.cudnn.rnn):
        products.fp32_precision = gpu_precision
    torch.set_num_threads(threads or torch.get_num_threads())
    if device is not None:
        return usable(device)
    return "cuda" if torch.cuda.is_available() else "cpu"


def usable(device: str) -> str:
    """Return the name of a device that computes; InputError if it does not."""
    try:
        torch.ones(1, device=device).item()  # the device `meta` has no memory to read from
    except Exception as error:  # its type depends on the device
        reason = str(error).partition("\n")[0]
        raise InputError(f"{device} cannot be used ({reason}): take cpu or cuda") from None
    return device


def reseed(device: torch.device, number: int) -> None:
    """Seed the random numbers of one device.

    `torch.manual_seed` would seed every kind of device, and record a traceback for each that is not
    in use. That takes as long as a training step of a small network.
    """
    if device.type == "cuda":
        torch.cuda.manual_seed(number)
    else:
        torch.default_generator.manual_seed(number)


def rounds_to_bfloat16() -> bool:
    """Return whether `choose` was told to use bfloat16, and this CPU has instructions for it."""
    return torch.backends.fp32_precision == "bf16" and has_bfloat16()  # type: ignore[attr-defined]


def has_bfloat16() -> bool:
    """Return whether this CPU has instructions for products of bfloat16 numbers."""
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def deterministic() -> None:
    """Let torch compute the same bits every time, or refuse to; call it before a GPU is used."""
    # cuBLAS is deterministic only with a fixed workspace; it reads this when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    # By default, deterministic mode fills new memory. It takes time, and no code reads such memory
    # before it writes it.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
