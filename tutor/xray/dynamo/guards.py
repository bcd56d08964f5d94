"""Dynamo's guards as text: the checks before each call, and the reason for each."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from tutor.xray.dynamo.source_text import SourceText

# "| | +- TENSOR_MATCH: check_tensor(...)   # x = x.sin()  # folder/file.py:6 in f"
_LEAF = re.compile(r"^[| ]*\+- ([A-Z][A-Z0-9_]+): (.*)$")
_FROM = re.compile(r"^(.*?)\s+# (?:(.*?)\s+# )?(\S+):(\d+) in (\S+)\s*$")
_WIDEST = 600

# Guard kinds of torch._dynamo.guards (2.11 to 2.13): why such a check is there.
_WHY = {
    "TENSOR_MATCH": "the graph was traced for a tensor of this class, dtype, device, "
    "requires_grad, sizes and strides",
    "EQUALS_MATCH": "this value went into the graph as a constant",
    "CONSTANT_MATCH": "this value went into the graph as a constant",
    "ID_MATCH": "tracing went through this very object",
    "FUNCTION_MATCH": "tracing went into this function",
    "CLOSURE_MATCH": "tracing went into this function",
    "BUILTIN_MATCH": "the builtin was called, and names can be rebound",
    "CLASS_MATCH": "this class decided which code was traced",
    "TYPE_MATCH": "the type of this value decided which code was traced",
    "NONE_MATCH": "the code went the way for None",
    "NOT_NONE": "the code went the way for a value other than None",
    "BOOL_MATCH": "the code went one way of a branch on this value",
    "TRUE_MATCH": "the code went the way for True",
    "FALSE_MATCH": "the code went the way for False",
    "LENGTH_CHECK": "the container's length was used while tracing",
    "SEQUENCE_LENGTH": "the sequence's length was used while tracing",
    "DICT_LENGTH": "the dictionary's length was used while tracing",
    "DICT_CONTAINS": "whether the key is there decided which code was traced",
    "DICT_VERSION": "the dictionary was read while tracing",
    "DICT_KEYS_MATCH": "the dictionary's keys were read while tracing",
    "HASATTR": "that the attribute exists decided which code was traced",
    "NO_HASATTR": "that the attribute is missing decided which code was traced",
    "DIMENSION_DYNAMIC_MARKING_GUARD": "no dimension was marked as dynamic when tracing",
    "DYNAMIC_INDICES": "no other dimensions may be marked as dynamic",
    "NO_TENSOR_ALIASING": "the inputs were different tensors when tracing",
    "OBJECT_ALIASING": "two names meant one object when tracing",
    "STORAGE_OVERLAPPING": "which inputs share memory decides whether writes may be reordered",
    "GLOBAL_STATE": "grad mode, autocast, determinism, default dtype and threads change what "
    "operations do",
    "TORCH_FUNCTION_MODE_STACK": "an active __torch_function__ mode would see each operation",
    "DEFAULT_DEVICE": "new tensors go to the default device",
    "WEAKREF_ALIVE": "the object was alive when tracing",
    "SHAPE_ENV": "sizes that are symbols in the graph must keep these relations",
    "LAMBDA_GUARD": "a condition that the compilers asked for",
}
_OF_LAMBDA = (
    ("saved_tensors_hooks", "hooks on saved tensors would change what the backward gets"),
    ("size()", "a size is a symbol in the graph, and must keep this relation"),
    ("stride()", "a stride is a symbol in the graph, and must keep this relation"),
)
_ELSE = "Dynamo read this while tracing"


@dataclass(frozen=True)
class Guard:
    """`check` is the code that runs; `code`, `file` and `line` are the place that caused it."""

    kind: str
    check: str
    why: str
    code: str
    file: str
    line: int


def guards_of(manager: Any) -> list[Guard]:
    """The guards in the printed tree of a guard manager, in the order they are checked."""
    guards = []
    for row in str(manager).splitlines():
        if match := _LEAF.match(row):
            guards.append(_guard(match[1], match[2]))
    return guards


def format_guards(
    guards: list[Guard], source: SourceText | None
) -> tuple[str, list[tuple[int, int]]]:
    """The guards as text, and (line of the source, line of this text) pairs."""
    lines: list[str] = []
    ties = []
    for guard, following in zip(guards, [*guards, None][1:], strict=True):
        lines.append(f"{guard.kind}: {guard.check[:_WIDEST]}")
        if following and replace(following, check=guard.check) == guard:
            continue  # one reason for several checks
        where = f"{guard.file}:{guard.line}" if guard.file else ""
        code = f", for: {guard.code}" if guard.code else ""
        if source is not None and where and source.path.endswith(f"/{guard.file}"):
            if at := source.lines.get(guard.line):
                ties.append((at, len(lines)))
            where = f"line {guard.line}"
        lines.append(f"    why: {guard.why}" + (f" ({where}{code})" if where else ""))
    return "\n".join(lines), ties


def _guard(kind: str, rest: str) -> Guard:
    match = _FROM.match(rest)
    check, code, file, line = (
        (match[1], match[2] or "", match[3], int(match[4])) if match else (rest, "", "", 0)
    )
    if file.startswith("_dynamo/"):  # always there: nothing in the learner's code causes it
        code, file, line = "", "", 0
    why = _WHY.get(kind, _ELSE)
    if kind == "LAMBDA_GUARD":
        why = next((said for sign, said in _OF_LAMBDA if sign in check), why)
    return Guard(kind, check.strip(), why, code.strip(), file, line)
