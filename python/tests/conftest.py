# conftest.py - lets the tests import their helpers, sets the environment of JAX before its import, makes PYTHONPATH
# absolute for tests that start a process in another folder, and gives each test the same random numbers in any order of tests.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))))

_STATES = {}


@pytest.fixture(autouse=True)
def same_random_numbers(request):
    """The generator `RANDOM` of a module has the same state before each of its tests, whichever process runs which of them."""
    generator = getattr(request.module, "RANDOM", None)
    if generator is not None:
        generator.bit_generator.state = _STATES.setdefault(request.module.__name__, generator.bit_generator.state)
