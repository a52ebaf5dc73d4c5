# exchanged.py - arrays as another library may pass them. For tests, and for benchmarks/python/calls.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


class Exchanged:
    """An array that has nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
