"""Python for the code that Dynamo put in a function's place, by running its bytecode on texts.

Dynamo's code has no loops: it calls graphs, packs what lives on into lists, and calls a resume
function. A stack of texts follows it. Lists that it makes are followed as lists, so that their
shuffling does not show. Left out are deletions and calls for torch's profiler.
"""

from __future__ import annotations

import copy
import dis
import re
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from tutor.xray.dynamo.bytecode import line_of, without_run_ids
from tutor.xray.dynamo.stack_values import (
    NULL,
    Items,
    NoPython,
    Text,
    atom_of,
    make_number,
    slice_of,
    take_item,
    to_source,
)

_MOST_LINES = 400
_MODULE = re.compile(r"\b__import_(\w+)\b")
_BUILTIN = re.compile(r"\b__builtins_dict__\w*\['(\w+)'\]")
_PROFILER = re.compile(r"\.record_pregraph_bytecode_(?:enter|exit)\b")
_HELPER = re.compile(r"\s*(tmp_\d+) = [\w.]+")
_SKIPPED = frozenset(
    (
        "RESUME",
        "NOP",
        "CACHE",
        "PRECALL",
        "EXTENDED_ARG",
        "MAKE_CELL",
        "COPY_FREE_VARS",
        "DELETE_FAST",
        "TO_BOOL",
        "GEN_START",
        "NOT_TAKEN",
    )
)
_OPERATORS = {
    "ADD": "+",
    "SUBTRACT": "-",
    "MULTIPLY": "*",
    "TRUE_DIVIDE": "/",
    "FLOOR_DIVIDE": "//",
    "MODULO": "%",
    "POWER": "**",
    "MATRIX_MULTIPLY": "@",
    "AND": "&",
    "OR": "|",
    "XOR": "^",
    "LSHIFT": "<<",
    "RSHIFT": ">>",
}
_UNARY = {"UNARY_NOT": "not ", "UNARY_NEGATIVE": "-", "UNARY_INVERT": "~"}
_SEQUENCES = {"BUILD_LIST": "[]", "BUILD_TUPLE": "()", "BUILD_SET": "{}"}


@dataclass(frozen=True)
class PythonText:
    """`lines` are lines of Python; `places` the line of source of each, or None."""

    lines: tuple[str, ...]
    places: tuple[int | None, ...]


def python_of(code: CodeType) -> PythonText:
    """Return `code` as a function in Python. Raises `NoPython` where it has no such form."""
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    body = _Body(code)
    body.run(0, [], 1)
    head = f"def {code.co_name}({', '.join(names)}):"
    rows = [
        (line, place)
        for line, place in zip(body.lines, body.places, strict=True)
        if not _is_idle(line, body.lines)
    ]
    lines, places = zip(*rows, strict=True)
    return PythonText((head, *map(_short, lines)), (code.co_firstlineno, *places))


def _is_idle(line: str, lines: list[str]) -> bool:
    """Return True for the name of a helper that only left-out calls use."""
    match = _HELPER.fullmatch(line)
    if match is None:
        return False
    name = re.compile(rf"\b{match[1]}\b")
    return sum(bool(name.search(text)) for text in lines) == 1


def _short(line: str) -> str:
    line = _BUILTIN.sub(r"\1", without_run_ids(line))
    return _MODULE.sub(lambda match: match[1].replace("_dot_", "."), line)


@dataclass
class _Body:
    code: CodeType
    lines: list[str] = field(default_factory=list)
    places: list[int | None] = field(default_factory=list)
    temporaries: int = 0

    def __post_init__(self) -> None:
        self.steps = list(dis.get_instructions(self.code))
        self.at = {step.offset: place for place, step in enumerate(self.steps)}

    def run(self, place: int, stack: list[Any], depth: int) -> None:
        """Write what happens from the instruction at `place` until the code returns."""
        branch = _Branch(self, stack, depth)
        while place < len(self.steps):
            step = self.steps[place]
            branch.line = line_of(step) or branch.line
            if step.opname in _SKIPPED:
                place += 1
            elif step.opname.startswith(("RETURN", "RAISE")):
                return branch.leave(step)
            elif step.opname == "JUMP_FORWARD":
                place = self._target(step, place)
            elif "_IF_" in step.opname and step.opname.startswith("POP_JUMP"):
                condition = branch.condition(step)
                target = self._target(step, place)
                branch.write(f"if {condition}:")
                self.run(place + 1, copy.deepcopy(branch.stack), depth + 1)
                place = target
            else:
                branch.step(step)
                place += 1
        return None

    def _target(self, step: dis.Instruction, place: int) -> int:
        target = self.at.get(step.argval, -1)
        if target <= place:
            raise NoPython(step.opname)
        return target


class _Branch:
    """The stack of texts on one way through the code."""

    def __init__(self, body: _Body, stack: list[Any], depth: int) -> None:
        self.body, self.stack, self.depth = body, stack, depth
        self.line: int | None = None
        self.keywords: tuple[str, ...] = ()  # of the next call, in Python 3.11 and 3.12

    def write(self, text: str) -> None:
        if len(self.body.lines) >= _MOST_LINES:
            raise NoPython(f"more than {_MOST_LINES} lines")
        if not _PROFILER.search(text):
            self.body.lines.append("    " * self.depth + text)
            self.body.places.append(self.line)

    def leave(self, step: dis.Instruction) -> None:
        if step.opname == "RETURN_CONST":
            self.write(f"return {step.argval!r}")
        elif step.opname == "RETURN_VALUE":
            value = self.pop()
            self.settle()
            self.write(f"return {to_source(value)}")
        else:
            raise NoPython(step.opname)

    def condition(self, step: dis.Instruction) -> str:
        """Return the condition under which the code goes on without the jump."""
        value = self.pop()
        self.settle()
        if step.opname.endswith("NONE"):
            word = "is" if step.opname.endswith("NOT_NONE") else "is not"
            return f"{atom_of(value)} {word} None"
        return to_source(value) if step.opname.endswith("FALSE") else f"not {atom_of(value)}"

    # --- the stack --------------------------------------------------------------------------------

    def pop(self) -> Any:
        if not self.stack:
            raise NoPython("an empty stack")
        return self.stack.pop()

    def pops(self, count: int) -> list[Any]:
        return [self.pop() for _ in range(count)][::-1]

    def settle(self, name: str = "") -> None:
        """Give names to calls that wait on the stack, and to what would change with `name`."""
        uses = re.compile(rf"\b{re.escape(name)}\b") if name else None

        def settle_value(value: Any) -> None:
            if isinstance(value, Items):
                for item in value.items:
                    settle_value(item)
            elif value.acts or (uses and uses.search(value.text)):
                self.body.temporaries += 1
                kept = f"value_{self.body.temporaries}"
                self.write(f"{kept} = {value.text}")
                value.text, value.acts = kept, False

        for value in self.stack:
            settle_value(value)

    def call(self, function: Any, arguments: str) -> None:
        text = f"{atom_of(function)}({arguments})"
        if _PROFILER.search(text):
            self.stack.append(Text("None"))
            return
        self.settle()
        self.stack.append(Text(text, acts=True))

    # --- instructions -----------------------------------------------------------------------------

    def step(self, step: dis.Instruction) -> None:
        name, arg = step.opname, step.arg or 0
        if name.startswith("LOAD_") or name in ("PUSH_NULL", "KW_NAMES"):
            self._load(step)
        elif name.startswith(("STORE_", "POP_TOP", "DELETE_")):
            self._store(step)
        elif name in ("COPY", "DUP_TOP", "SWAP", "ROT_TWO", "ROT_THREE", "ROT_FOUR", "ROT_N"):
            self._shuffle(name, arg)
        elif name.startswith("CALL"):
            self._call(step)
        elif name in _SEQUENCES:
            self.stack.append(Items(self.pops(arg), _SEQUENCES[name]))
        elif name in ("LIST_EXTEND", "LIST_APPEND", "LIST_TO_TUPLE", "UNPACK_SEQUENCE"):
            self._sequence(name, arg)
        elif name in ("BUILD_MAP", "BUILD_CONST_KEY_MAP"):
            self._map(name, arg)
        elif name == "BUILD_SLICE":
            self.stack.append(slice_of(self.pops(arg)))
        elif name in ("BINARY_SUBSCR", "BINARY_SLICE") or step.argrepr == "[]":
            if name == "BINARY_SLICE":
                self.stack.append(slice_of(self.pops(2)))
            key, of = self.pop(), self.pop()
            self.stack.append(take_item(of, key))
        else:
            self._operate(step)

    def _load(self, step: dis.Instruction) -> None:
        name, value = step.opname, step.argval
        if name == "KW_NAMES":
            self.keywords = tuple(self.body.code.co_consts[step.arg or 0])
        elif name == "PUSH_NULL":
            self.stack.append(NULL)
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            of = self.pop()
            method = name == "LOAD_METHOD" or "NULL" in step.argrepr
            nulls = [NULL] if method else []
            self.stack += [*nulls, Text(f"{atom_of(of)}.{value}")]
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            text = repr(value) if not isinstance(value, CodeType) else f"<code {value.co_name}>"
            self.stack.append(Text(text, value=value if isinstance(value, int) else None))
        elif "FAST" in name:
            names = value if isinstance(value, tuple) else (value,)
            self.stack += map(Text, names)
        elif name in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLOSURE"):
            null = "NULL" in step.argrepr
            self.stack += [*([NULL] if null else []), Text(str(value))]
        else:
            raise NoPython(name)

    def _store(self, step: dis.Instruction) -> None:
        name, target = step.opname, step.argval
        if name in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"):
            if name == "STORE_SLICE":
                self.stack.append(slice_of(self.pops(2)))
            key, of = self.pop(), self.pop()
            self._put(of, key, self.pop() if name != "DELETE_SUBSCR" else None)
        elif name == "POP_TOP":
            if isinstance(value := self.pop(), Text) and value.acts:
                self.settle()
                self.write(value.text)
        elif name in ("STORE_FAST", "STORE_GLOBAL", "STORE_DEREF", "STORE_NAME"):
            self._assign(str(target))
        elif name == "STORE_ATTR":
            of, value = self.pop(), self.pop()
            self.settle()
            self.write(f"{atom_of(of)}.{target} = {to_source(value)}")
        elif name in ("STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST"):
            self._assign(target[0])
            if name == "STORE_FAST_STORE_FAST":
                self._assign(target[1])
            else:
                self.stack.append(Text(target[1]))
        else:
            raise NoPython(name)

    def _assign(self, name: str) -> None:
        value = self.pop()
        self.settle(name)
        if not (name.startswith("tmp_") and to_source(value) == "None"):
            self.write(f"{name} = {to_source(value)}")

    def _put(self, of: Any, key: Any, value: Any) -> None:
        """`of[key] = value`, or its deletion: of a list that is followed, else as a statement."""
        at = key.value if isinstance(key, Text) else None
        if isinstance(of, Items) and isinstance(at, (int, slice)):
            if value is None:
                del of.items[at]
            elif isinstance(at, slice) and isinstance(value, Items):
                of.items[at] = value.items
            elif isinstance(at, int):
                of.items[at] = value
            else:
                raise NoPython("STORE_SUBSCR")
            return
        self.settle()
        target = f"{atom_of(of)}[{to_source(key)}]"
        self.write(f"del {target}" if value is None else f"{target} = {to_source(value)}")

    def _shuffle(self, name: str, arg: int) -> None:
        stack = self.stack
        if name in ("COPY", "DUP_TOP"):
            depth = arg if name == "COPY" else 1
            if isinstance(stack[-depth], Text) and stack[-depth].acts:
                self.settle()
            stack.append(stack[-depth])
        elif name == "SWAP":
            stack[-1], stack[-arg] = stack[-arg], stack[-1]
        else:
            depth = {"ROT_TWO": 2, "ROT_THREE": 3, "ROT_FOUR": 4}.get(name, arg)
            stack.insert(len(stack) - depth, stack.pop())

    def _call(self, step: dis.Instruction) -> None:
        name, arg = step.opname, step.arg or 0
        if name == "CALL_FUNCTION_EX":
            return self._call_with_list(bool(arg & 1))
        keywords, self.keywords = self.keywords, ()
        if name in ("CALL_KW", "CALL_FUNCTION_KW"):
            keywords = tuple(item.text.strip("'") for item in self._names(self.pop()))
        elif name not in ("CALL", "CALL_FUNCTION", "CALL_METHOD"):
            raise NoPython(f"{name} {step.argrepr}".strip())
        values = [to_source(value) for value in self.pops(arg)]
        first = len(values) - len(keywords)
        words = [f"{key}={value}" for key, value in zip(keywords, values[first:], strict=True)]
        function = self.pop()
        if name not in ("CALL_FUNCTION", "CALL_FUNCTION_KW"):
            other = self.pop()  # NULL, or the object before its method's arguments
            if not to_source(function):
                function = other
            elif to_source(other):
                values, function = [to_source(function), *values], other
                first += 1
        self.call(function, ", ".join([*values[:first], *words]))
        return None

    def _names(self, value: Any) -> list[Text]:
        texts = value.text.strip("()").split(",") if isinstance(value, Text) else []
        return [Text(text.strip()) for text in texts if text.strip()]

    def _call_with_list(self, has_words: bool) -> None:
        words = f"**{atom_of(self.pop())}" if has_words else ""
        given = self.pop()
        function = self.pop()
        if not to_source(function):
            function = self.pop()
        elif self.stack and not to_source(self.stack[-1]):
            self.pop()
        known = isinstance(given, Items)
        listed = ", ".join(map(to_source, given.items)) if known else f"*{atom_of(given)}"
        self.call(function, ", ".join(filter(None, (listed, words))))

    def _sequence(self, name: str, arg: int) -> None:
        if name == "LIST_TO_TUPLE":
            value = self.pop()
            items = value.items if isinstance(value, Items) else [Text(f"*{atom_of(value)}")]
            self.stack.append(Items(items, "()"))
        elif name == "UNPACK_SEQUENCE":
            value = self.pop()
            if isinstance(value, Text) and value.acts:
                self.stack.append(value)
                self.settle()
                self.pop()
            known = isinstance(value, Items)
            items = value.items if known else [take_item(value, make_number(i)) for i in range(arg)]
            self.stack += items[::-1]
        else:
            value = self.pop()
            to = self.stack[-arg]
            if not isinstance(to, Items):
                raise NoPython(name)
            known = isinstance(value, Items) and name == "LIST_EXTEND"
            more = value.items if known else [Text(f"*{atom_of(value)}")]
            to.items += more if name == "LIST_EXTEND" else [value]

    def _map(self, name: str, arg: int) -> None:
        if name == "BUILD_MAP":
            given = self.pops(2 * arg)
            pairs = [
                f"{to_source(k)}: {to_source(v)}"
                for k, v in zip(given[::2], given[1::2], strict=True)
            ]
        else:
            keys = self._names(self.pop())
            values = self.pops(arg)
            pairs = [f"{k.text}: {to_source(v)}" for k, v in zip(keys, values, strict=True)]
        self.stack.append(Text(f"{{{', '.join(pairs)}}}"))

    def _operate(self, step: dis.Instruction) -> None:
        name = step.opname
        sign = ""
        if name == "BINARY_OP":
            sign = step.argrepr.rstrip("=")
        elif name.startswith(("BINARY_", "INPLACE_")):
            sign = _OPERATORS.get(name.partition("_")[2], "")
        elif name in ("COMPARE_OP", "IS_OP", "CONTAINS_OP"):
            negated = bool((step.arg or 0) & 1)
            words = {"IS_OP": ("is", "is not"), "CONTAINS_OP": ("in", "not in")}
            sign = words[name][negated] if name in words else str(step.argval)
            sign = sign.removeprefix("bool(").removesuffix(")")
        elif name in _UNARY:
            self.stack.append(Text(f"{_UNARY[name]}{atom_of(self.pop())}"))
            return
        if not sign:
            raise NoPython(f"{name} {step.argrepr}".strip())
        left, right = self.pops(2)
        self.stack.append(Text(f"{atom_of(left)} {sign} {atom_of(right)}"))
