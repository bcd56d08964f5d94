"""One capture of the learner's function for every compiler: `torch.export`, strict.

The strict mode is what keeps the inner lines: without it each node has the line of `forward` only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils._pytree import tree_flatten, tree_unflatten

from tutor.xray.dynamo.source_text import SourceText, find_source


@dataclass(frozen=True)
class Captured:
    """A function as `torch.export` sees it, with the tensors that it was called with (on the CPU).

    `source` is the learner's text, to which every compiler's locations lead back; None for a function
    without one. Where the export was not `strict`, no line is known.
    """

    program: ExportedProgram
    inputs: tuple[Any, ...]
    source: SourceText | None
    strict: bool = True

    def line_of(self, path: str, line: int) -> int | None:
        """The line of the stage "source" that is line `line` of the file `path`, if it is shown."""
        return self.source.line_of(path, line) if self.source else None

    def name_line(self, line: int | None) -> str:
        """Return ` (from line 12 of the file)` for a line of the stage "source", "" for none."""
        if not (self.source and line):
            return ""
        return f" (from line {self.source.numbers[line - 1]} of the file)"

    def line_of_node(self, node: torch.fx.Node) -> int | None:
        """The line of the stage "source" that a node of the exported graph comes from."""
        return self.source.line_of_trace(node.stack_trace) if self.source else None

    def run_eagerly(self) -> tuple[torch.Tensor, ...]:
        """Return what PyTorch computes for the inputs, which stay as they are, in a flat tuple."""
        with torch.no_grad():
            results, _ = tree_flatten(self.program.module()(*map(torch.clone, self.inputs)))
        return tuple(results)


def capture(subject: Callable[..., Any], inputs: tuple[Any, ...]) -> Captured:
    """Export a function or module for these inputs. Raises what `torch.export` raises.

    Numbers, strings and None among the inputs are constants of the program. Its tensors are named as
    the function's parameters are.
    """
    tensors = tuple(value for value in inputs if isinstance(value, torch.Tensor))
    if isinstance(subject, torch.nn.Module) and len(tensors) == len(inputs):
        module: torch.nn.Module = subject
    else:
        module = _module_of_call(subject, inputs)
        leaves, _ = tree_flatten(inputs)
        tensors = tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))
    program, strict = _export(module, tensors)
    return Captured(program, tensors, find_source(subject), strict)


def _export(
    module: torch.nn.Module, tensors: tuple[torch.Tensor, ...]
) -> tuple[ExportedProgram, bool]:
    """Export strictly, or not so where the strict export cannot name a parameter of a module that is a
    global: it raises a `KeyError` of its own name for it, `G_…` (torch 2.13)."""
    with torch.no_grad():
        try:
            return torch.export.export(module, tensors, strict=True), True
        except KeyError as error:
            if not str(error).startswith("'G_"):
                raise
            return torch.export.export(module, tensors, strict=False), False


class _Call(torch.nn.Module):
    """A call of a function: `torch.export` takes nothing but modules. `forward` takes the tensors."""

    def __init__(self, subject: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
        super().__init__()
        self._subject = subject
        leaves, self._shape = tree_flatten(inputs)
        self._constants = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self._places = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def _call(self, *tensors: torch.Tensor) -> Any:
        leaves = list(self._constants)
        for place, tensor in zip(self._places, tensors, strict=True):
            leaves[place] = tensor
        return self._subject(*tree_unflatten(leaves, self._shape))


def _module_of_call(subject: Callable[..., Any], inputs: tuple[Any, ...]) -> torch.nn.Module:
    """Return the call as a module whose `forward` has a parameter for each tensor.

    `torch.export` takes the names of its inputs from the signature.
    """
    names = ", ".join(_name_tensors(subject, inputs))
    text = f"def forward(self, {names}):\n    return self._call({names})"
    code = compile(text, "<call>", "exec").co_consts[0]
    forward = FunctionType(code, {"__builtins__": {}}, "forward")
    module: torch.nn.Module = type("Call", (_Call,), {"forward": forward})(subject, inputs)
    return module


def _name_tensors(subject: Callable[..., Any], inputs: tuple[Any, ...]) -> list[str]:
    """Return a name for each tensor: its parameter's, with a number where it stands in a list."""
    called = subject.forward if isinstance(subject, torch.nn.Module) else subject
    try:
        bound = inspect.signature(called).bind(*inputs)
    except (TypeError, ValueError):  # a builtin does not tell its parameters
        given = [(f"input_{number}", value) for number, value in enumerate(inputs)]
    else:
        given = list(bound.arguments.items())
    names: list[str] = []
    for name, value in given:
        leaves, _ = tree_flatten(value)
        count = sum(isinstance(leaf, torch.Tensor) for leaf in leaves)
        if isinstance(value, torch.Tensor):
            names.append(name)
        else:
            names += [f"{name}_{number}" for number in range(count)]
    unique = len(set(names)) == len(names) and "self" not in names
    return names if unique else [f"input_{number}" for number in range(len(names))]
