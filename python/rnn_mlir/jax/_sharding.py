# _sharding.py - shardings in types of arrays.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from typing import Any, Iterable, Tuple


def spec_of(aval: Any) -> Tuple[Any, ...]:
    """The axes of a mesh with explicit axes by dimension of a type; empty without a sharding."""
    return tuple(getattr(aval.sharding, "spec", ()))


def axis_names(entry: Any) -> Tuple[Any, ...]:
    """The axes of a mesh that one entry of a PartitionSpec names."""
    return entry if isinstance(entry, tuple) else () if entry is None else (entry,)


def first_entry(avals: Iterable[Any], axes: Iterable[Any]) -> Any:
    """The entry of the first type whose dimension in `axes` is sharded; None if no dimension is. An axis of None is skipped."""
    entries = (spec_of(aval)[axis] for aval, axis in zip(avals, axes) if axis is not None and axis < len(spec_of(aval)))
    return next((entry for entry in entries if entry is not None), None)
