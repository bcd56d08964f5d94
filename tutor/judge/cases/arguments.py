"""Arguments of a learner's function: names, sizes, message form, and the file of their tensors."""

import ast
import os
from copy import deepcopy
from typing import Any

import torch

from tutor.base.python_trees import parse_python
from tutor.course.model import MAKERS, Exercise
from tutor.judge.cases.reference import Args
from tutor.judge.processes import shared_tensors
from tutor.judge.processes.worker_messages.records import Argument, Layout, PlainValue

_CASE_OF_PASS = "case(program, x, y, z, u, v, w)"
MOST_OF_VALUE = 60  # characters of an argument that is no tensor


class CaseInputs:
    """A case's arguments, and the file in which the worker finds their tensors.

    The file is an open one that has them already, or a new one. It is closed with this object.
    """

    def __init__(self, index: int, args: Args, fd: int = -1) -> None:
        self.index, self.args = index, args
        self.buffer, self.layouts = shared_tensors.fill_buffer(tensors_of(args))
        self.fd = fd if fd >= 0 else shared_tensors.memory_file("inputs", self.buffer)

    def __enter__(self) -> "CaseInputs":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1


def encode_arguments(args: Args, layouts: list[Layout]) -> tuple[Argument, ...]:
    """Return the message form of arguments whose tensors are in a memory file."""
    left = list(layouts)
    return tuple(left.pop(0) if isinstance(a, torch.Tensor) else PlainValue(a) for a in args)


def tensors_of(args: Args) -> list[torch.Tensor]:
    """Return the tensors among the arguments, in their order."""
    return [a for a in args if isinstance(a, torch.Tensor)]


def copy_argument(value: Any) -> Any:
    """Return a copy of an argument that shares no memory with it."""
    return value.clone() if isinstance(value, torch.Tensor) else deepcopy(value)


def signature_of_case(exercise: Exercise) -> str:
    """Return the signature of what gets a case's arguments: the entry's, or that of the function which
    makes what the entry gets; of a pass that of its programs, whose arguments have no names here."""
    if exercise.kind == "pass":
        return _CASE_OF_PASS
    if exercise.kind == "ranks":  # the judge counts the ranks; a case begins with their number
        name, _, parameters = exercise.entry.partition("(")
        return f"{name}({parameters.partition(',')[2].strip()}"
    if not exercise.maker:
        return exercise.entry
    name = MAKERS[exercise.kind]
    code = parse_python(exercise.maker.read_text(encoding="utf-8"))
    functions = [node for node in code.body if isinstance(node, ast.FunctionDef)]
    maker = next(node for node in functions if node.name == name)
    return f"{name}({ast.unparse(maker.args)})"


def parameter_names(entry: str) -> list[str]:
    """Return the parameter names of an entry such as `add(x, y)`, in order."""
    params = entry.partition("(")[2].rstrip(") ").split(",")
    return [p.split("=")[0].split(":")[0].strip() for p in params]


def tensor_names(entry: str, args: Args) -> list[str]:
    """Return the parameter names of the tensor arguments, in order."""
    pairs = zip(parameter_names(entry), args, strict=False)
    return [name for name, value in pairs if isinstance(value, torch.Tensor)]


def collect_options(entry: str, args: Args) -> dict[str, str]:
    """Return the arguments that are no tensors, such as `causal`, with the text of their value."""
    pairs = zip(parameter_names(entry), args, strict=False)
    return {
        name: repr(value)[:MOST_OF_VALUE]
        for name, value in pairs
        if isinstance(value, bool | int | float | str) or value is None
    }


def collect_sizes(entry: str, args: Args) -> dict[str, int]:
    """Return each size among the arguments by its name in the learner's function."""
    by_name: dict[str, int] = {}
    for name, value in zip(parameter_names(entry), args, strict=False):
        if isinstance(value, torch.Tensor):
            by_name |= {f"{name}.shape[{d}]": n for d, n in enumerate(value.shape)}
        elif type(value) is int:
            by_name[name] = value
    return by_name
