"""Memory that was freed is used again, instead of asked for from the system page by page."""

import platform
import subprocess
import sys

import pytest

LOOP = """
import resource
import numpy as np
{first}

def work():
    return [np.ones(2**17) for _ in range(4)]

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

work(), work()
before = faults()
for _ in range(50):
    work()
print((faults() - before) // 50)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has other habits")
def test_freed_arrays_are_not_given_back_to_the_system():
    without, with_rules = (
        int(subprocess.run([sys.executable, "-c", LOOP.format(first=first)], capture_output=True, check=True).stdout)
        for first in ("", "from opbook.ops import layer_norm")
    )
    assert with_rules <= without // 10, "each of these pages is asked for in every round"
    assert without > 100, "the C library keeps memory by itself; opbook_fast.memory has nothing to do any more"
