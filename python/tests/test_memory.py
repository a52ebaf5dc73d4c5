# test_memory.py - memory that the C library keeps. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import numpy as np
from rnn_mlir._memory import keep_freed_memory

if sys.argv[1] == "keep":
    assert keep_freed_memory()

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(6 << 20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

first = faults()
print(first, min(faults() for _ in range(5)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_keeps_freed_memory():
    """The pages of a freed array of 48 MiB are not new ones in the next array."""
    def run(mode):
        done = subprocess.run([sys.executable, "-c", PROGRAM, mode], check=True, stdout=subprocess.PIPE, universal_newlines=True)
        return map(int, done.stdout.split())
    first, later = run("")
    assert later > first / 2
    first, later = run("keep")
    assert later < first / 4
