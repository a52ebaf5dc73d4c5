# test_import_random.py - random programs of JAX and their gradients (scripts/fuzz_jax.py), compiled and compared with JAX. Skipped
# without JAX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.util
import pathlib

import pytest

pytest.importorskip("jax")
SPEC = importlib.util.spec_from_file_location("fuzz_jax", pathlib.Path(__file__).parents[2] / "scripts" / "fuzz_jax.py")
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)


@pytest.mark.parametrize("seed", range(0, 40, 5))
def test_programs(seed):
    counts, failures = fuzz.run(range(seed, seed + 5), operations=8)
    assert not failures, "\n".join(failures)
    assert counts["equal"] > 0  # some are skipped
