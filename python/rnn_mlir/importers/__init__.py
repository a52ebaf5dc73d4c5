# __init__.py - rnn_mlir.importers: modules of frameworks as MLIR that the rnn tools read.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of TensorFlow (`rnn_mlir.importers.tensorflow`) and StableHLO (`rnn_mlir.importers.stablehlo`) as MLIR.

The programs rnn-import-tf and rnn-import-stablehlo are these modules. They need the frameworks, which are not imported
before a function runs.
"""

from ._lowering import ImportFailed

__all__ = ["ImportFailed"]
