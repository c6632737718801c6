"""The hardware that a program computes on."""

import os
from typing import Any

import torch

from groundvec.runtime.errors import InputError

# As torch calls them, on a CPU and on a GPU, whose recurrent networks have no bfloat16 of float32.
PRECISIONS = {"float32": ("ieee", "ieee"), "bfloat16": ("bf16", "tf32")}


def choose(
    device: str | None = None, threads: int | None = None, precision: str = "float32"
) -> str:
    """Set torch up, and return the device: the one asked for, or else `cuda` where there is one.

    Float32 is computed as such. By default cuDNN's recurrent networks round to TF32 on recent GPUs,
    which makes an embedding depend on its batch (1e-3) and breaks the ties of equal captions.

    Args:
        threads: of the CPU; by default all.
        precision: of the factors of products, one of `PRECISIONS`. CPUs without instructions for
            bfloat16 ignore it; a GPU rounds to TF32 instead, of ten bits.
    """
    backends: Any = torch.backends  # whose types lack what it adds when it runs
    backends.fp32_precision, of_gpu = PRECISIONS[precision]
    # In torch 2.11 cuDNN does not follow it (pytorch issue 179445).
    for products in (backends.cuda.matmul, backends.cudnn.conv, backends.cudnn.rnn):
        products.fp32_precision = of_gpu
    torch.set_num_threads(threads or torch.get_num_threads())
    return usable(device) if device else "cuda" if torch.cuda.is_available() else "cpu"


def usable(device: str) -> str:
    """Return the name of a device that computes; InputError if it does not."""
    try:
        torch.ones(1, device=device).item()  # which `meta`, without memory, has not
    except Exception as error:  # which one depends on the device
        reason = str(error).partition("\n")[0]
        raise InputError(f"{device} cannot be used ({reason}): take cpu or cuda") from None
    return device


def cores() -> int:
    """Count the CPU cores that this process may use, whatever OMP_NUM_THREADS says."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux alone has it
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def reseed(device: torch.device, number: int) -> None:
    """Seed the random numbers of a device.

    `torch.manual_seed` would seed every kind of device, and write a traceback for each that is not
    in use, which takes as long as a small network's step.
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
    able = torch.cpu.get_capabilities()
    return any(able.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def deterministic() -> None:
    """Let torch compute the same bits every time, or refuse to; call it before a GPU is used."""
    # cuBLAS is deterministic only with a fixed workspace; it reads this when it is loaded.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    # Nothing here reads memory that it has not written, and to fill it takes time.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
