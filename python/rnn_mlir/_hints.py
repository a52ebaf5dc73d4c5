# _hints.py - what the readers of parameter files share: errors, options, and the number of gates.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options and errors of parameter files."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any, Optional

from . import _layers
from .params import Stack


class FormatError(ValueError):
    """A file that is not what its format says, or a library that is missing."""


@dataclasses.dataclass
class Hints:
    """What a file may not say about its layers."""

    mode: Optional[str] = None
    direction: Optional[str] = None
    input_size: Optional[int] = None
    hidden_size: Optional[int] = None
    layers: Optional[int] = None
    projection: Optional[int] = None
    prefix: str = ""  #: of the names of tensors

    def need(self, *names: str) -> None:
        """Raises FormatError for values that are not given."""
        missing = [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) is None]
        if missing:
            raise FormatError(f"a file of this format does not state all sizes; give {', '.join(missing)}, and --layers, "
                              "--direction and --projection if they are not 1, unidirectional and 0")

    def check(self, path: str, stack: Stack) -> None:
        """Raises FormatError for values that contradict a file."""
        projection = stack.output_size if stack.layers[0].projection is not None else 0
        for name, found in (("mode", stack.mode), ("direction", stack.direction), ("input_size", stack.input_size),
                            ("hidden_size", stack.hidden_size), ("layers", stack.num_layers), ("projection", projection)):
            given = getattr(self, name)
            if given is not None and given != found:
                raise FormatError(f"{path} has layers with {name.replace('_', ' ')} {found}, but "
                                  f"--{name.replace('_', '-')}={given} is given; leave it out")


def library(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FormatError(f"this format needs the package {name.partition('.')[0]}: pip install 'rnn-mlir[{extra}]' ({error})") from error


def mode_of_gates(gates: float, hints: Hints, plain: str) -> str:
    """The mode of a number of gates; `plain` names the layers with one, whose files do not state their function."""
    modes = [mode for mode, names in _layers.GATES.items() if len(names) == gates]
    if not modes:
        raise FormatError(f"the recurrent matrix has {gates:g} rows per element of the state; expected 1, 3 (gru) or 4 (lstm)")
    if hints.mode in modes or len(modes) == 1:  # `Hints.check` reports another mode
        return modes[0] if len(modes) == 1 else str(hints.mode)
    raise FormatError(f"{plain} does not store its function; give --mode=rnn_tanh or --mode=rnn_relu"
                      f"{f', instead of {hints.mode}' if hints.mode else ''}")
