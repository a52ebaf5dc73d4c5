# _sharding.py - shardings in types of arrays.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from typing import Any, Tuple


def spec_of(aval: Any) -> Tuple[Any, ...]:
    """The axes of a mesh with explicit axes by dimension of a type; empty without a sharding."""
    return tuple(getattr(aval.sharding, "spec", ()))


def axis_names(entry: Any) -> Tuple[Any, ...]:
    """The axes of a mesh that one entry of a PartitionSpec names."""
    return entry if isinstance(entry, tuple) else () if entry is None else (entry,)
