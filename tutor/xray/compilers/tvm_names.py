"""What went into each of TVM's functions, told by names: TVM keeps no source lines.

Its importer says which variable of Relax holds the result of each FX node. LegalizeOps keeps these
variables. FuseOps makes new functions of them: the graph before it and the graph after it, with
its functions' bodies in the place of their calls, are the same graph, and are walked together.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Node
from tvm import IRModule, ir, relax
from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter

from tutor.xray.compilers.capture import Captured


@dataclass(frozen=True)
class Imported:
    """A program as Relax. `lines` are the source lines of the bindings of `main`, by name."""

    module: Any
    lines: Mapping[str, int]


@dataclass(frozen=True)
class Site:
    """One call of a function by `main`: the bindings of `main`, before fusion, that it computes."""

    unit: str
    bindings: tuple[str, ...]


def import_program(captured: Captured) -> Imported:
    """Import an exported program, as `from_exported_program` does. Raises what the importer raises."""
    importer = ExportedProgramImporter()
    program = _decompose(captured.program)
    module = importer.from_exported_program(program, False, False, False, None)
    owners: dict[str, Node] = {}
    for node, value in importer.env.items():
        if isinstance(value, relax.Var):
            owners.setdefault(value.name, node)  # a later one only hands its operand on
    lines: dict[str, int] = {}
    waiting: list[str] = []
    for name in bindings_of(module["main"]):
        waiting.append(name)  # what a node needs stands above the binding of its result
        if name in owners:
            line = captured.line_of_node(owners[name])
            lines |= dict.fromkeys(waiting, line) if line else {}
            waiting = []
    return Imported(module, lines)


def _decompose(program: ExportedProgram) -> ExportedProgram:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of its own trees
        decomposed: ExportedProgram = program.run_decompositions()
    return decomposed


def bindings_of(function: Any) -> dict[str, Any]:
    """Return the values that a function of Relax binds, by name, in order.

    A pass may name its own variables as others are named. Names that stand twice are left out.
    """
    pairs = [(var.name, value) for var, value in _bindings(function)]
    times = Counter(name for name, _ in pairs)
    return {name: value for name, value in pairs if times[name] == 1}


def _bindings(function: Any) -> list[tuple[Any, Any]]:
    if not isinstance(function.body, relax.SeqExpr):
        return []
    return [
        (binding.var, binding.value)
        for block in function.body.blocks
        for binding in block.bindings
        if isinstance(binding, relax.VarBinding)
    ]


def called_function(value: Any) -> str:
    """Return the name of the function that a bound value calls, or ""."""
    if not isinstance(value, relax.Call):
        return ""
    if isinstance(value.op, ir.GlobalVar):
        return str(value.op.name_hint)
    if isinstance(value.op, ir.Op) and value.op.name == "relax.call_tir":
        return str(value.args[0].name_hint)
    return ""


def operation_name(value: Any) -> str:
    """Return Relax's name of the operation that a bound value computes, as `matmul`, or ""."""
    if isinstance(value, relax.Call) and isinstance(value.op, ir.Op):
        return str(value.op.name).removeprefix("relax.").removeprefix("nn.")
    return ""


def find_sites(before: IRModule, after: IRModule) -> tuple[Site, ...]:
    """Return what each call in `after`, the module that FuseOps made of `before`, computes, in order.

    A part of the graph that does not match is left out: nothing is said of it.
    """
    main, fused = _Scope(before["main"]), _Scope(after["main"], module=after)
    walk = _Walk(main, fused)
    walk.run()
    named = bindings_of(before["main"])
    order = {hash(var): place for place, (var, _) in enumerate(_bindings(before["main"]))}
    sites = []
    for call, value in _bindings(after["main"]):
        computed = sorted(walk.found.get(hash(call), ()), key=lambda var: order[hash(var)])
        if computed:
            names = tuple(var.name for var in computed if var.name in named)
            sites.append(Site(called_function(value), names))
    return tuple(sites)


@dataclass(eq=False)
class _Scope:
    """A function that is walked. `call` is the variable of `main` that holds its result.

    Variables are told apart by `hash`, which is theirs alone: two may have one name.
    """

    function: Any
    call: Any = None
    outer: _Scope | None = None
    arguments: Mapping[int, Any] = field(default_factory=dict)
    module: Any = None
    values: dict[int, Any] = field(init=False)
    inner: dict[int, _Scope] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = {hash(var): value for var, value in _bindings(self.function)}

    def resolve(self, value: Any) -> tuple[Any, Any, _Scope]:
        """Follow names and fused functions to what computes a value: its variable, it, its scope."""
        scope, variable = self, None
        while isinstance(value, relax.Var):
            variable = value
            if hash(value) in scope.values:
                value = scope.values[hash(value)]
                if (opened := scope._open(variable, value)) is not None:
                    scope, value = opened, opened.function.body.body
            elif scope.outer is not None and hash(value) in scope.arguments:
                scope, value = scope.outer, scope.arguments[hash(value)]
            else:
                break
        if isinstance(value, relax.TupleGetItem):
            inner_variable, inner, inner_scope = scope.resolve(value.tuple_value)
            if isinstance(inner, relax.Tuple):
                return inner_scope.resolve(inner.fields[value.index])
            return inner_variable, inner, inner_scope
        return variable, value, scope

    def _open(self, variable: Any, value: Any) -> _Scope | None:
        """The fused function that a call in `main` runs, with the call's arguments."""
        if self.module is None or not isinstance(value, relax.Call):
            return None
        if not isinstance(value.op, ir.GlobalVar):
            return None
        if hash(variable) not in self.inner:
            function = self.module[value.op.name_hint]
            given = zip(function.params, value.args, strict=True)
            arguments = {hash(parameter): argument for parameter, argument in given}
            self.inner[hash(variable)] = _Scope(function, variable, self, arguments)
        return self.inner[hash(variable)]


class _Walk:
    """Walks two graphs from their results to their inputs, and notes who computes what.

    `found`: by the variable of the second graph's `main`, those of the first that its call computes.
    """

    def __init__(self, before: _Scope, after: _Scope) -> None:
        self._waiting = [(before.function.body.body, before, after.function.body.body, after)]
        self._seen: set[int] = set()
        self.found: dict[int, list[Any]] = {}

    def run(self) -> None:
        while self._waiting:
            value, scope, fused, fused_scope = self._waiting.pop()
            variable, value, scope = scope.resolve(value)
            fused_variable, fused, fused_scope = fused_scope.resolve(fused)
            if isinstance(value, relax.Tuple) and isinstance(fused, relax.Tuple):
                self._add(value.fields, scope, fused.fields, fused_scope)
                continue
            called = called_function(value)
            if not called or called != called_function(fused) or hash(variable) in self._seen:
                continue
            self._seen.add(hash(variable))
            call = fused_variable if fused_scope.call is None else fused_scope.call
            self.found.setdefault(hash(call), []).append(variable)
            self._add(_arguments(value), scope, _arguments(fused), fused_scope)

    def _add(self, values: Any, scope: _Scope, fused: Any, fused_scope: _Scope) -> None:
        self._waiting += [
            (one, scope, other, fused_scope) for one, other in zip(values, fused, strict=False)
        ]


def _arguments(call: Any) -> Any:
    return call.args[1].fields


_DEFINITION = r"^\s*def {name}\("


def line_of_definition(text: str, name: str) -> int:
    """Return the line, from 1, at which TVMScript defines a function; 0 where it does not."""
    match = re.search(_DEFINITION.format(name=re.escape(name)), text, re.MULTILINE)
    return text.count("\n", 0, match.end()) + 1 if match else 0
