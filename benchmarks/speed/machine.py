"""What the numbers were measured on."""

import importlib.metadata
import os
import platform
from pathlib import Path

PACKAGES = ("numpy", "torch", "jax", "autograd", "mygrad", "numba", "threadpoolctl")


def description(threads: int) -> dict[str, str]:
    """Describe the machine.

    Args:
        threads: How many threads every contender may use.

    Returns:
        Facts by name.
    """
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "threads": str(threads),
        "system": f"{platform.system()} {platform.machine()}",
        "BLAS": _blas(),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if not info.is_file():
        return platform.processor() or "unknown"
    facts = dict(line.split(":", 1) for line in info.read_text(encoding="utf-8").splitlines() if ":" in line)
    named = {key.strip(): value.strip() for key, value in facts.items()}
    widest = next((name for name in ("avx512f", "avx2") if name in named.get("flags", "").split()), "no AVX2")
    return (
        f"{named.get('model name', 'unknown')} (family {named.get('cpu family')}, model {named.get('model')}), {widest}"
    )


def _blas() -> str:
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}"


def versions() -> dict[str, str]:
    """List what is installed.

    Returns:
        Versions by name, Python's first; "not installed" for what is missing.
    """
    found = {"Python": platform.python_version()}
    for name in ("opbook", *PACKAGES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found
