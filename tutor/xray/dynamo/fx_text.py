"""An FX graph as text, and the line of each node."""

from __future__ import annotations

import re
from dataclasses import dataclass

from torch.fx import GraphModule, Node

_ASSIGNED = re.compile(r"\s+(\w+)\s*(?::\s*\"[^\"]*\")?\s*=\s")


@dataclass(frozen=True)
class FxText:
    """`lines`: a node's name -> its line in `text`, from 1. Placeholders are in the `def` line."""

    text: str
    lines: dict[str, int]


def format_graph(graph: GraphModule, strides: bool) -> FxText:
    """The graph as torch prints it: types and shapes as annotations, source lines as comments."""
    text = graph.print_readable(print_output=False, include_stride=strides).rstrip()
    names = {node.name for node in graph.graph.nodes}
    lines: dict[str, int] = {}
    header = 1
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("def forward(") and header == 1:
            header = number
        if (match := _ASSIGNED.match(line)) and match[1] in names:
            lines.setdefault(match[1], number)
        elif line.lstrip().startswith("return "):
            lines.setdefault("output", number)
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            lines.setdefault(node.name, header)
    return FxText(text, lines)


def mark_lines(shown: FxText, marks: dict[str, str]) -> FxText:
    """Return the text with a comment above the line of each named node that has one.

    A mark never stands above the `def` line: that of a placeholder there comes below it.
    """
    lines = shown.text.splitlines()
    above: dict[int, list[str]] = {}
    for name, mark in marks.items():
        at = shown.lines.get(name)
        if at is None:
            continue
        if lines[at - 1].lstrip().startswith("def "):
            at += 1
        indent = lines[at - 1][: len(lines[at - 1]) - len(lines[at - 1].lstrip())]
        above.setdefault(at, []).append(f"{indent}# {mark}")
    text: list[str] = []
    moved: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        text += above.get(number, ())
        text.append(line)
        moved[number] = len(text)
    return FxText("\n".join(text), {name: moved[at] for name, at in shown.lines.items()})


def list_operations(graph: GraphModule) -> list[Node]:
    """The nodes that compute something."""
    return [n for n in graph.graph.nodes if n.op in ("call_function", "call_method", "call_module")]


def operation(node: Node) -> str:
    """A short name: aten.add.Tensor -> add, <built-in function mul> -> mul, x.sin() -> sin."""
    target = node.target
    if isinstance(target, str):
        return target.rsplit(".", 1)[-1]
    packet = getattr(target, "overloadpacket", None)
    return str(getattr(packet or target, "__name__", target)).rsplit(".", 1)[-1]
