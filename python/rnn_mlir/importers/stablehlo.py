# stablehlo.py - the program rnn-import-stablehlo: StableHLO as MLIR that the rnn tools read.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs jaxlib's passes, which turn StableHLO into linalg ops and leave the custom calls of recurrent layers.

Needs the package jax; tested with 0.10.2.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, List, Optional, Union

from . import _lowering
from ._lowering import ImportFailed

PROGRAM = "rnn-import-stablehlo"
_INSTALL = "jax"
_BYTECODE = b"ML\xefR"
_DESCRIPTION = """\
Imports modules of StableHLO for the rnn tools: text, portable artifacts (bytecode of the dialect vhlo), and files of
jax.export.
"""


def _parse(mlir: Any, context: Any, source: Union[str, bytes]) -> Any:
    if isinstance(source, str):
        return mlir.ir.Module.parse(source)
    if not source.startswith(_BYTECODE):
        # jax.export's files contain an artifact.
        export = _lowering.load("jax.export", _INSTALL)
        try:
            source = export.deserialize(bytearray(source)).mlir_module_serialized
        except ImportError:
            raise ImportFailed("files of jax.export need the package flatbuffers; install it: pip install flatbuffers") from None
        except Exception as error:  # errors of many classes for other files
            raise ImportFailed(f"the source is neither text, nor bytecode, nor a file of jax.export: {error}") from None
    try:
        return mlir.stablehlo.deserialize_portable_artifact(context, source)
    except Exception as artifact:  # no common class
        try:
            return mlir.ir.Module.parse(source)
        except mlir.ir.MLIRError:
            raise ImportFailed(f"the bytecode is no portable artifact that this jaxlib reads: {artifact}") from None


def import_module(source: Union[str, bytes], function: Optional[str] = None) -> str:
    """A module of StableHLO, as text or bytes, as text of upstream dialects and custom calls of recurrent layers.

    The names of JAX's arguments and results are those of exported tables and C headers.
    """
    mlir = _lowering.load_mlir(_INSTALL)
    ir = mlir.ir
    with _lowering.context_of(mlir) as context:
        try:
            module = _parse(mlir, context, source)
        except ir.MLIRError as error:
            raise ImportFailed(f"jaxlib cannot read the module: {error}") from None
        for op in _lowering.public_functions(mlir, module):
            # loc("x"), but not loc("file":1:2)
            names = [re.match(r'loc\("(\w+)"[()]', str(argument.location)) for argument in op.regions[0].blocks[0].arguments]
            _lowering.set_names(mlir, op, "arg_attrs", [name.group(1) if name else None for name in names])
            results = op.attributes["res_attrs"] if "res_attrs" in op.attributes else []
            infos = [ir.StringAttr(ir.DictAttr(result)["jax.result_info"]).value
                     if "jax.result_info" in ir.DictAttr(result) else "" for result in results]
            _lowering.set_names(mlir, op, "res_attrs", [_lowering.identifier(info) for info in infos])
        return _lowering.lower(mlir, module, PROGRAM, function)


def _read(path: str) -> Union[str, bytes]:
    """Text of MLIR as str, anything else as bytes."""
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror}") from None
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        return source
    return text if text.lstrip()[:1] in ("m", "#", "/", "f", '"', "!") else source


def main(arguments: Optional[List[str]] = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=_DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="file")
    parser.add_argument("--function", help="new name of the module's only public function")
    parser.add_argument("-o", "--output", default="-", help="output file (standard output)")
    options = parser.parse_args(arguments)
    return _lowering.run(PROGRAM, lambda: import_module(_read(options.input), options.function), options.output,
                         options.input if arguments is None else None)


if __name__ == "__main__":
    sys.exit(main())
