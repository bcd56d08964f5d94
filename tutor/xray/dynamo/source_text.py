"""The learner's own text of a function: its lines, and those of the functions it calls in its file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from torch.autograd import Function
from torch.nn import Module

_MOST_BLOCKS = 64
_MOST_LINES = 5000
_FRAME = re.compile(r'File "(.+?)", line (\d+)')


@dataclass(frozen=True)
class SourceText:
    """`text` holds one or more pieces of `path`; `lines` has the place of each line of the file.

    Both count from 1. `first` is the line of the file at which the function itself begins.
    """

    text: str
    path: str
    first: int
    lines: dict[int, int]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The line of the file that each line of `text` is, 0 for a blank one between two pieces."""
        shown = {line: number for number, line in self.lines.items()}
        return tuple(shown.get(line, 0) for line in range(1, self.text.count("\n") + 2))

    def line_of(self, path: str, line: int) -> int | None:
        """The line of `text` that is line `line` of the file `path`, if it is shown."""
        return self.lines.get(line) if path == self.path else None

    def line_of_trace(self, stack_trace: str | None) -> int | None:
        """The innermost line of a printed stack that is shown."""
        for path, line in reversed(_FRAME.findall(stack_trace or "")):
            if number := self.line_of(path, int(line)):
                return number
        return None


def function_of(subject: Callable[..., Any]) -> FunctionType | None:
    """The Python function whose code runs: of a module its `forward`, of a wrapper what it wraps.

    Of an `apply` of an autograd function, the `forward` beside it; of an operator of one's own
    (`torch.library.custom_op`) the function that was registered.
    """
    subject = getattr(subject, "_torchdynamo_orig_callable", subject)
    if type(subject).__name__ == "CustomOpDef":
        subject = getattr(subject, "_init_fn", subject)
    function: Any = type(subject).forward if isinstance(subject, Module) else subject
    owner = getattr(subject, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, Function) and function.__name__ == "apply":
        function = owner.forward
    function = inspect.unwrap(getattr(function, "__func__", function))
    return function if isinstance(function, FunctionType) else None


def find_source(subject: Callable[..., Any]) -> SourceText | None:
    """Return the source of a function or module and of what it calls in its file, or None."""
    function = function_of(subject)
    if function is None:
        return None
    path = function.__code__.co_filename
    blocks: dict[int, list[str]] = {}
    for code in (function.__code__, *_callees(subject, function, path)):
        if len(blocks) >= _MOST_BLOCKS:
            break
        try:
            lines, first = inspect.getsourcelines(code)
        except (OSError, TypeError, IndexError, SyntaxError):
            continue
        blocks[first or 1] = [line.rstrip("\n") for line in lines]
    first = function.__code__.co_firstlineno
    if first not in blocks:
        return None
    text: list[str] = []
    places: dict[int, int] = {}
    for start in sorted(blocks):
        fresh = [n for n in range(start, start + len(blocks[start])) if n not in places]
        if text and fresh:
            text.append("")
        for number in fresh:
            text.append(blocks[start][number - start])
            places[number] = len(text)
        if len(text) > _MOST_LINES:
            break
    return SourceText("\n".join(text), path, first, places)


def _callees(subject: Any, function: FunctionType, path: str) -> Iterator[CodeType]:
    """Codes in the same file that are reached by name, and the `forward`s of modules inside."""
    waiting = [function]
    if isinstance(subject, Module):
        waiting += _forwards(subject.modules())
    seen: set[CodeType] = set()
    while waiting and len(seen) < _MOST_BLOCKS:
        current = waiting.pop(0)
        code = current.__code__
        if code in seen or code.co_filename != path:
            continue
        seen.add(code)
        yield code
        reached = [current.__globals__.get(name) for name in code.co_names]
        reached += [cell.cell_contents for cell in current.__closure__ or () if _is_filled(cell)]
        for value in reached:
            value = getattr(value, "_torchdynamo_orig_callable", value)
            if isinstance(value, FunctionType):
                waiting.append(inspect.unwrap(value))
            elif isinstance(value, Module):
                waiting += _forwards(value.modules())


def _forwards(modules: Iterable[Module]) -> list[FunctionType]:
    methods = (inspect.unwrap(type(module).forward) for module in modules)
    return [function for function in methods if isinstance(function, FunctionType)]


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
