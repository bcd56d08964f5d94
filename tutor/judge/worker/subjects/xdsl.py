"""MLIR in xDSL as the subject of a pass, run by its interpreter, which counts what it executes.

The first function of a module is called once for each element of its inputs: vectors of one length, an
element of each in a call.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from typing import Any

import torch
from xdsl import ir
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, get_all_dialects, scf
from xdsl.interpreter import Interpreter, OpCounter
from xdsl.interpreters import register_implementations
from xdsl.parser import Parser

from tutor.judge.cases.result_difference import RESULT, Seen
from tutor.judge.processes.worker_messages.rewrite_report import Operation, RewriteFault
from tutor.judge.worker.subjects.subject import Inputs, Run, Stopped, to_kind

_WIDEST = 64  # bits of a number; what the index type has here


class Xdsl:
    """Modules of xDSL, with every dialect that it knows."""

    called = "ModuleOp"

    def __init__(self) -> None:
        self._context = Context()
        for dialect in (builtin.Builtin, arith.Arith, func.Func, scf.Scf):
            self._context.load_dialect(dialect)
        for name, factory in get_all_dialects().items():
            if name not in ("builtin", "arith", "func", "scf"):
                self._context.register_dialect(name, factory)

    def parse(self, text: str, inputs: Inputs) -> Any:
        module = Parser(self._context, text).parse_module()
        module.verify()
        return module

    def owns(self, program: Any) -> bool:
        return isinstance(program, builtin.ModuleOp)

    def check(self, program: Any, text: str) -> RewriteFault | None:
        program.verify()  # it says nothing of the order of operations
        for op in program.walk():
            for value in op.operands:
                if not _is_computed_before(value, op):
                    said = f"`{op.name}` reads {_describe(value)}, which is not computed before it."
                    return RewriteFault("broken", "wrong-graph", f"in the rewritten program {said}")
        return None

    def run(self, program: Any, inputs: Inputs) -> Run:
        function = next(op for op in program.walk() if isinstance(op, func.FuncOp))
        types = list(function.function_type.inputs)
        if len(types) != len(inputs):
            raise TypeError(
                f"the function takes {len(types)} arguments in the place of {len(inputs)}"
            )
        calls, most = [], Counter[str]()
        for values in zip(*(x.tolist() for x in inputs), strict=True):
            counter = _Counter()
            interpreter = Interpreter(program, listeners=(counter,))
            register_implementations(interpreter, self._context)
            given = tuple(map(_to_attribute, values, types))
            try:
                results = interpreter.call_op(function.sym_name.data, given)
            except AssertionError as error:  # so the interpreter refuses a division by 0
                raise Stopped(counter.last, tuple(values)) from error
            calls.append([_to_number(result) for result in results])
            if sum(counter.ops.values()) >= sum(most.values()):
                most = Counter(counter.ops)
        seen: list[Seen] = [(RESULT, _to_tensor(column)) for column in zip(*calls, strict=True)]
        done = tuple(
            Operation(to_kind(name), name[:200], times) for name, times in sorted(most.items())
        )
        return Run([seen], done)

    def inspect(self, program: Any, text: str) -> RewriteFault | None:
        return None

    def write(self, program: Any) -> str:
        return str(program)


SUBJECT = Xdsl


@dataclass
class _Counter(OpCounter):  # type: ignore[misc]  # xDSL has no types here
    """Counts what runs, and keeps the name of the last."""

    last: str = ""

    def will_interpret_op(self, op: ir.Operation, args: tuple[Any, ...]) -> None:
        super().will_interpret_op(op, args)
        self.last = op.name


def _is_computed_before(value: ir.SSAValue, op: ir.Operation) -> bool:
    """Return True if the value is there when the operation runs: it is an argument of a block around the
    operation, or a result of an operation that stands in such a block, before it."""
    owner = value.owner
    block = owner if isinstance(owner, ir.Block) else owner.parent
    if block is None or block.parent is None:  # it was taken out
        return False
    if len(block.parent.blocks) > 1:  # which block runs first is not asked
        return bool(block.parent.is_ancestor(op))
    around = block.find_ancestor_op_in_block(op)
    if around is None:
        return False
    return isinstance(owner, ir.Block) or owner.is_before_in_block(around)


def _describe(value: ir.SSAValue) -> str:
    name = f"`%{value.name_hint}`" if value.name_hint else "a value"
    return name if isinstance(value.owner, ir.Block) else f"{name} of `{value.owner.name}`"


def _to_attribute(value: Any, kind: Any) -> Any:
    if isinstance(kind, builtin.IntegerType | builtin.IndexType):
        return builtin.IntegerAttr(_wrap(int(value), _width(kind)), kind)
    if isinstance(kind, builtin.AnyFloat):
        return builtin.FloatAttr(float(value), kind)
    raise TypeError(f"a program's arguments are numbers here, and not {kind}")


def _to_number(value: Any) -> int | float:
    if isinstance(value, builtin.IntegerAttr):
        return _wrap(value.value.data, _width(value.type))
    if isinstance(value, builtin.FloatAttr):
        number = float(value.value.data)
        if isinstance(value.type, builtin.Float32Type):  # the interpreter computes with more digits
            number = struct.unpack("f", struct.pack("f", number))[0]
        return number
    raise TypeError(f"a program's results are numbers here, and not {type(value).__name__}")


def _to_tensor(values: tuple[int | float, ...]) -> torch.Tensor:
    whole = all(isinstance(value, int) for value in values)
    return torch.tensor(values, dtype=torch.int64 if whole else torch.float64)


def _width(kind: Any) -> int:
    return int(kind.width.data) if isinstance(kind, builtin.IntegerType) else _WIDEST


def _wrap(value: int, width: int) -> int:
    """Return the number that `width` bits hold, as a signed one; of one bit 0 or 1."""
    held = value & ((1 << width) - 1)
    return held - (1 << width) if width > 1 and held >> (width - 1) else held
