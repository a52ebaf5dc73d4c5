# fakes.py - the fakes of the CUDA driver and cuDNN in the build tree (unittests/Runtime/FakeCuda).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

from rnn_mlir import _files


def fakes():
    """The folder of the fake libraries, or None."""
    folder = os.path.join(os.path.dirname(_files.library_folder()), "..", "unittests", "Runtime", "fake-cuda")
    return os.path.realpath(folder) if os.path.exists(os.path.join(folder, "libcuda.so.1")) else None
