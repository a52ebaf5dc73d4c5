# _lowering.py - StableHLO to linalg ops by jaxlib's passes, for the importers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a module of StableHLO, whose recurrent ops stay as they are, and prints it in generic form."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import re
import signal
import sys
import traceback
import types
from typing import Any, Callable, Iterator, List, Optional, Sequence

# jaxlib: to signless StableHLO, and after the conversion of loops and dynamic ops to linalg ops.
_FIRST = "builtin.module(func.func(stablehlo-legalize-composite-to-call),stablehlo-convert-to-signless,func.func(chlo-legalize-to-stablehlo))"
_TO_LINALG = "builtin.module(symbol-dce,stablehlo-legalize-to-linalg,canonicalize,cse)"
_CLEAN = "builtin.module(canonicalize,cse,remove-dead-values,canonicalize)"
# What the pass convert-tf-to-rnn and its siblings read, and the dialects of ops that nothing else converts.
LAYERS = ("tf.CudnnRNN", "tf.BlockLSTM")
_LAYER_CALLS = ("cudnn_rnn", "hipdnn_rnn", "miopen_rnn")
_FRONT_ENDS = ("tf.", "stablehlo.", "chlo.", "mhlo.")
# Ops of upstream dialects on shapes of unknown rank, which upstream does not lower to tensor ops.
_SHAPES = ("shape.concat", "shape.const_shape", "shape.split_at", "shape.to_extent_tensor")


class ImportFailed(Exception):
    """The module cannot be imported; the message says why."""


def load(package: str, install: str) -> Any:
    """Imports a module of an optional package; the error says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportFailed(f"the package {error.name or package} is missing or cannot be loaded ({error}); install it: "
                           f"pip install {install}") from None


def load_mlir(install: str) -> Any:
    """The parts of jaxlib that the lowering uses."""
    return types.SimpleNamespace(
        ir=load("jaxlib.mlir.ir", install), passmanager=load("jaxlib.mlir.passmanager", install),
        stablehlo=load("jaxlib.mlir.dialects.stablehlo", install),
        make_context=load("jax._src.interpreters.mlir", install).make_ir_context)


@contextlib.contextmanager
def context_of(mlir: Any) -> Iterator[Any]:
    """A context that reads StableHLO, upstream's dialects and unregistered ops."""
    mlir.stablehlo.register_stablehlo_passes()
    context = mlir.make_context()
    context.allow_unregistered_dialects = True
    with context, mlir.ir.Location.unknown():
        # Loads linalg, which jaxlib does not register.
        mlir.passmanager.PassManager.parse(_TO_LINALG).run(mlir.ir.Module.create().operation)
        yield context


def operations(operation: Any) -> List[Any]:
    """All nested operations, inner ones first.

    By a walk: an iteration over blocks looks for a Python class of each operation, and for the modules of dialects that jaxlib lacks.
    """
    ir = importlib.import_module("jaxlib.mlir.ir")
    found: List[Any] = []

    def visit(op: Any) -> Any:
        found.append(op)
        return ir.WalkResult.ADVANCE
    operation.walk(visit, ir.WalkOrder.POST_ORDER)
    return found[:-1]


def flag(mlir: Any, op: Any, name: str) -> int:
    """An attribute of type integer or bool; 0 if it is absent."""
    if name not in op.attributes:
        return 0
    attribute = op.attributes[name]
    kind = mlir.ir.BoolAttr if isinstance(attribute, mlir.ir.BoolAttr) else mlir.ir.IntegerAttr
    return int(kind(attribute).value)


def elements(mlir: Any, value: Any) -> Optional[List[Optional[int]]]:
    """The integers of a constant, or of a concatenation, where those that are not constant are None. None if nothing is known."""
    op = getattr(value.owner, "operation", None)
    if op is None:
        return None
    if "value" in op.attributes:
        return [int(v) for v in mlir.ir.DenseIntElementsAttr(op.attributes["value"])]
    if op.name in ("stablehlo.reshape", "stablehlo.convert"):
        return elements(mlir, op.operands[0])
    kind = mlir.ir.RankedTensorType(value.type) if isinstance(value.type, mlir.ir.RankedTensorType) else None
    if op.name != "stablehlo.concatenate" or flag(mlir, op, "dimension") or kind is None or not kind.has_static_shape:
        return None
    result: List[Optional[int]] = []
    for operand in op.operands:
        shape = mlir.ir.RankedTensorType(operand.type)
        result += elements(mlir, operand) or [None] * math.prod(shape.shape)
    return result


def constant(mlir: Any, value: Any) -> Optional[List[int]]:
    """The integers of a constant, or None."""
    found = elements(mlir, value)
    return None if found is None or None in found else [v for v in found if v is not None]


def _yield(mlir: Any, block: Any, name: str = "scf.yield", condition: Sequence[Any] = ()) -> None:
    """Replaces the terminator of a block of StableHLO by that of an scf op; `condition` precedes the block's arguments."""
    ir = mlir.ir
    terminator = list(block)[-1].operation
    operands = [*condition, *block.arguments] if condition else list(terminator.operands)
    ir.Operation.create(name, operands=operands, loc=terminator.location, ip=ir.InsertionPoint(terminator))
    terminator.erase()


def _scalar(mlir: Any, value: Any, op: Any) -> Any:
    """The element of a tensor without dimensions, before `op`."""
    ir = mlir.ir
    return ir.Operation.create("tensor.extract", results=[ir.RankedTensorType(value.type).element_type], operands=[value],
                               loc=op.location, ip=ir.InsertionPoint(op)).result


def convert_control_flow(mlir: Any, module: Any) -> None:
    """Loops and branches become scf ops: jaxlib's passes do not convert them."""
    ir = mlir.ir
    for op in [op for op in operations(module.operation) if op.name in ("stablehlo.while", "stablehlo.if", "stablehlo.case")]:
        operands, attributes, regions = list(op.operands), {}, list(op.regions)
        if op.name != "stablehlo.while":
            operands = [_scalar(mlir, op.operands[0], op)]
        if op.name == "stablehlo.case":
            # An index out of range selects the last branch: the default of scf.index_switch, whose region is the first.
            operands = [ir.Operation.create("arith.index_cast", results=[ir.IndexType.get()], operands=operands, loc=op.location,
                                            ip=ir.InsertionPoint(op)).result]
            regions = [regions[-1], *regions[:-1]]
            attributes = {"cases": ir.DenseI64ArrayAttr.get(list(range(len(regions) - 1)))}
        name = {"stablehlo.while": "scf.while", "stablehlo.if": "scf.if", "stablehlo.case": "scf.index_switch"}[op.name]
        new = ir.Operation.create(name, results=[result.type for result in op.results], operands=operands, attributes=attributes,
                                  regions=len(regions), loc=op.location, ip=ir.InsertionPoint(op))
        for index, region in enumerate(regions):
            region.blocks[0].append_to(new.regions[index])
            block = new.regions[index].blocks[0]
            if op.name == "stablehlo.while" and index == 0:
                terminator = list(block)[-1].operation
                _yield(mlir, block, "scf.condition", [_scalar(mlir, terminator.operands[0], terminator)])
            else:
                _yield(mlir, block)
        for old, result in zip(op.results, new.results):
            old.replace_all_uses_with(result)
        op.erase()


def remove_barriers(module: Any) -> None:
    """Removes stablehlo.optimization_barrier, of jax.checkpoint for example."""
    for op in [op for op in operations(module.operation) if op.name == "stablehlo.optimization_barrier"]:
        for result, operand in zip(op.results, op.operands):
            result.replace_all_uses_with(operand)
        op.erase()


def call_target(mlir: Any, op: Any) -> str:
    """The name of what a stablehlo.custom_call calls."""
    name = op.attributes["call_target_name"] if "call_target_name" in op.attributes else None
    return "" if name is None else str(mlir.ir.StringAttr(name).value)


def convert_assertions(mlir: Any, module: Any) -> None:
    """The checks of symbolic sizes that jax.export adds become cf.assert: the code that follows relies on them."""
    ir = mlir.ir
    for op in [op for op in operations(module.operation) if op.name == "stablehlo.custom_call" and
               call_target(mlir, op) == "shape_assertion"]:
        message = ir.StringAttr(op.attributes["error_message"]).value if "error_message" in op.attributes else "wrong sizes"
        point = ir.InsertionPoint(op)
        holds = ir.Operation.create("tensor.extract", results=[ir.IntegerType.get_signless(1)], operands=[op.operands[0]],
                                    loc=op.location, ip=point).result
        # The rest has the sizes of the call.
        text = ir.StringAttr.get(message.partition(" Using the following")[0].replace(" (= {0})", "").replace(" (= {1})", ""))
        ir.Operation.create("cf.assert", operands=[holds], attributes={"msg": text}, loc=op.location, ip=point)
        op.erase()


def replace_poison(mlir: Any, module: Any) -> None:
    """The values that remove-dead-values leaves in loops become zeros and tensors without content: bufferization has no model of
    ub.poison."""
    ir = mlir.ir
    for op in [op for op in operations(module.operation) if op.name == "ub.poison"]:
        kind, point = op.results[0].type, ir.InsertionPoint(op)
        if isinstance(kind, ir.RankedTensorType):
            unknown = [ir.Operation.create("arith.constant", results=[ir.IndexType.get()], loc=op.location, ip=point, attributes={
                "value": ir.IntegerAttr.get(ir.IndexType.get(), 0)}).result for k in range(kind.rank) if kind.is_dynamic_dim(k)]
            new = ir.Operation.create("tensor.empty", results=[kind], operands=unknown, loc=op.location, ip=point)
        elif isinstance(kind, (ir.IntegerType, ir.IndexType, ir.FloatType)):
            zero = ir.FloatAttr.get(kind, 0) if isinstance(kind, ir.FloatType) else ir.IntegerAttr.get(kind, 0)
            new = ir.Operation.create("arith.constant", results=[kind], loc=op.location, ip=point, attributes={"value": zero})
        else:
            continue
        op.results[0].replace_all_uses_with(new.result)
        op.erase()


def public_functions(mlir: Any, module: Any) -> List[Any]:
    """The functions that a compiled module exports."""
    ir = mlir.ir
    return [op for op in module.body.operations if op.operation.name == "func.func" and
            ("sym_visibility" not in op.attributes or
             ir.StringAttr(op.attributes["sym_visibility"]).value == "public")]


def set_names(mlir: Any, function: Any, kind: str, names: Sequence[Optional[str]]) -> None:
    """Adds the attribute rnn.name to the arguments (`arg_attrs`) or results (`res_attrs`) of a function."""
    ir = mlir.ir
    if not any(names):
        return
    given = list(function.attributes[kind]) if kind in function.attributes else [ir.DictAttr.get({})] * len(names)
    if len(given) != len(names):
        return
    new = []
    for attributes, name in zip(given, names):
        entries = {entry.name: entry.attr for entry in ir.DictAttr(attributes)}
        if name:
            entries["rnn.name"] = ir.StringAttr.get(name)
        new.append(ir.DictAttr.get(entries))
    function.attributes[kind] = ir.ArrayAttr.get(new)


def identifier(text: str) -> str:
    """`text` as a name: "result['loss']" is loss, "result[0]" is result0."""
    words = re.findall(r"\w+", text)
    named = [word for word in words if not word.isdigit() and word != "result"]
    return "_".join(named) if named else "".join(words)


def warn(program: str, message: str) -> None:
    """A line on the standard error output."""
    print(f"{program}: warning: {message}", file=sys.stderr)


def lower(mlir: Any, module: Any, program: str, function: Optional[str] = None) -> str:
    """Runs jaxlib's passes on a module and prints it in generic form. `function` renames its only public function."""
    from . import (_average_pools, _body, _calls, _dynamic, _gradients, _linear_algebra, _scatter, _sort, _stablehlo_ops,
                   _tf_convolutions)

    ir = mlir.ir
    _linear_algebra.convert(mlir, module)
    _body.convert(mlir, module, _sort.TOP_K)
    _body.convert(mlir, module, _sort.SORT)  # before comparators lose the sign semantics of their integers
    _stablehlo_ops.mark_unsigned(mlir, module)
    try:
        mlir.passmanager.PassManager.parse(_FIRST).run(module.operation)
        _calls.inline_calls(mlir, module)
        _body.convert(mlir, module, _sort.SORT)  # of chlo.top_k
        convert_assertions(mlir, module)
        remove_barriers(module)
        convert_control_flow(mlir, module)
        _body.convert(mlir, module, _stablehlo_ops.FIRST)
        _body.convert(mlir, module, {**_dynamic.TENSORFLOW, **_gradients.CONVERTERS, **_scatter.TENSORFLOW, **_tf_convolutions.CONVERTERS,
                                     **_average_pools.CONVERTERS, **_stablehlo_ops.BEFORE})
        _body.convert(mlir, module, _scatter.SCATTER)  # also those of the converters above
        _dynamic.use_extent_tensors(mlir, module)
        mlir.passmanager.PassManager.parse(_TO_LINALG).run(module.operation)
        _body.convert(mlir, module, {**_dynamic.STABLEHLO, **_stablehlo_ops.AFTER})
        mlir.passmanager.PassManager.parse(_CLEAN).run(module.operation)
        replace_poison(mlir, module)
    except ir.MLIRError as error:
        raise ImportFailed(f"jaxlib's passes fail: {error}") from None
    public = public_functions(mlir, module)
    if function and len(public) == 1:
        public[0].attributes["sym_name"] = ir.StringAttr.get(function)
    elif function:
        raise ImportFailed(f"--function needs a module with one public function, but this one has {len(public)}")
    left = set()
    for op in operations(module.operation):
        if op.name == "stablehlo.custom_call":
            target = call_target(mlir, op)
            if not target.startswith(_LAYER_CALLS):
                left.add(f"{op.name} of `{target}`")
        elif op.name in _SHAPES or (op.name.startswith(_FRONT_ENDS) and not op.name.startswith(LAYERS) and
                                    op.name != "stablehlo.return"):  # of a region of an op that is left
            left.add(op.name)
    if left:
        warn(program, "ops are left that no pass converts: " + ", ".join(sorted(left)))
    return str(module.operation.get_asm(print_generic_op_form=True))


def write(text: str, path: str) -> None:
    """Writes a module to a file, or to the standard output if the path is "-"."""
    if path == "-":
        print(text)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise ImportFailed(f"{path} cannot be written: {error.strerror}") from None


def run(program: str, convert: Callable[[], str], output: str, source: Optional[str] = None) -> int:
    """Writes the module that `convert` returns. The exit status of `program`, which prints why a module is not imported.

    With `source`, the name of the input, a child process does so: the libraries of frameworks may crash on damaged files.
    """
    if source is None:
        return _run(program, convert, output)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = _run(program, convert, output)
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    print(f"{program}: error: a library of the framework ended by signal {number} ({signal.strsignal(number)}) while it "
          f"imported {source}; the file may be damaged", file=sys.stderr)
    return 1


def _run(program: str, convert: Callable[[], str], output: str) -> int:
    try:
        write(convert(), output)
    except ImportFailed as error:
        print(f"{program}: error: {error}", file=sys.stderr)
        return 1
    return 0
