"""Nodes of a model in ONNX's text form, counted in the vocabulary of tutor/xray/model/compiler.py.

ONNX 1.23, onnx.printer: a header with the types of values, then one node a line between braces,
`[name] results = Operator <attributes> (operands)`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from tutor.xray.model.stages import Number

_NAME = r'"(?:\\.|[^"\\])*"|[^\s,()<>="\[\]{}]+'
_NODE = re.compile(
    rf'\s+(?:\[(?:"(?:\\.|[^"\\])*"|[^\]]*)\]\s+)?(?P<results>(?:{_NAME})(?:,\s*(?:{_NAME}))*) = '
    r"(?P<operator>[\w.]+)(?::\w+)?\s*[<(]"
)
_BITS = {
    "float": 32,
    "double": 64,
    "float16": 16,
    "bfloat16": 16,
    "int64": 64,
    "int32": 32,
    "int16": 16,
    "int8": 8,
    "uint64": 64,
    "uint32": 32,
    "uint16": 16,
    "uint8": 8,
    "bool": 8,
    "complex64": 64,
    "complex128": 128,
}
_DECLARED = re.compile(rf"(?<![\w\"])({'|'.join(_BITS)})(?:\[([^\]]*)\])?\s+({_NAME})")
_BODY = re.compile(r"(?:[^\s<>].*)?\{")  # the end of the header: a line of its own, or the graph's
_RESULTS = re.compile(r"=>\s*\(([^)]*)\)")


@dataclass(frozen=True)
class Node:
    """A node. `line` is its line from 1, `results` are the names of the values that it makes."""

    operator: str
    line: int
    results: tuple[str, ...]


def read_nodes(text: str) -> list[Node]:
    """Return the nodes of the model's graph, with those of graphs inside it, in their order."""
    lines = text.split("\n")
    nodes = []
    for number in range(_find_body(lines), len(lines)):
        line = lines[number]
        if line == "}":
            break
        if match := _NODE.match(line):
            results = tuple(name.strip('"') for name in re.findall(_NAME, match["results"]))
            nodes.append(Node(match["operator"], number + 1, results))
    return nodes


def count_onnx(text: str) -> dict[str, Number]:
    """Count a model's text.

    units: nodes that compute; a `Constant` only holds a value. operations: all nodes. buffers: values
    between nodes; a runtime may let several share memory. bytes: of these together, where the shape of
    each is known.
    """
    nodes = read_nodes(text)
    lines = text.split("\n")
    header = "\n".join(lines[: _find_body(lines)])
    declared = {name.strip('"'): (kind, shape) for kind, shape, name in _DECLARED.findall(header)}
    match = _RESULTS.search(header)
    results = {name.strip('"') for _, _, name in _DECLARED.findall(match[1])} if match else set()
    computing = [node for node in nodes if node.operator != "Constant"]
    between = {name for node in computing for name in node.results if name} - results
    counts: dict[str, Number] = {
        "units": len(computing),
        "operations": len(nodes),
        "buffers": len(between),
    }
    sizes = [_count_bytes(*declared[name]) if name in declared else None for name in between]
    if None not in sizes:
        counts["bytes"] = sum(size for size in sizes if size)
    return counts


def _find_body(lines: list[str]) -> int:
    """The index of the first line after the header."""
    ends = (number for number, line in enumerate(lines, 1) if _BODY.fullmatch(line))
    return next(ends, len(lines))


def _count_bytes(kind: str, shape: str) -> int | None:
    sizes = [size.strip() for size in shape.split(",") if size.strip()]
    if not all(size.isdecimal() for size in sizes):
        return None
    return math.prod(map(int, sizes)) * _BITS[kind] // 8
