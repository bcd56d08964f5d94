"""The graph that Inductor's passes leave, compared with the one they were given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from torch.fx import GraphModule

from tutor.xray.dynamo.fx_text import FxText, format_graph, list_operations

_NAME = re.compile(r"\b[A-Za-z_]\w*")
_CALLED = re.compile(r"= torch\.ops\.([\w.]+)\(")
_FEW = 8  # names in a note, and lines that one new node is tied to


@dataclass(frozen=True)
class PassChanges:
    """`ties`: (line of the graph above, line of this one)."""

    text: FxText
    notes: tuple[str, ...]
    ties: tuple[tuple[int, int], ...]


def pass_changes(above: FxText, module: GraphModule) -> PassChanges:
    """Return the graph's text, what the passes took out and put in, and the ties to `above`.

    A node that kept its name is tied to itself; a new one to the nodes of its line of source, and to
    those that were taken out with them because only they read them. One without a line, as torch 2.11
    makes them, is tied to what was taken out, if that was one line's.
    """
    text = format_graph(module, strides=True)
    names = [node.name for node in list_operations(module)]
    new = [name for name in names if name not in above.lines]
    gone = [name for name in above.lines if name not in text.lines and name != "output"]
    notes = ["Passes over the ATen graph have run: patterns replaced, what is used twice shared."]
    if gone:
        notes.append(f"Taken out: {_join_names(gone)}.")
    if new:
        notes.append(f"Put in: {_join_names(new)}.")
    written = list(_find_rewritten(above, text, names))
    if written:
        notes.append(f"Called another way: {_join_names(written)}.")
    if not gone and not new and not written:
        notes.append("They left every node as it was.")
    return PassChanges(text, tuple(notes), tuple(_ties(above, text, names, gone)))


def _find_rewritten(above: FxText, text: FxText, names: list[str]) -> Iterator[str]:
    """Yield each node that kept its name and calls another operator, with both operators."""
    before, after = above.text.splitlines(), text.text.splitlines()
    for name in names:
        if name in above.lines and name in text.lines:
            was = _CALLED.search(before[above.lines[name] - 1])
            now = _CALLED.search(after[text.lines[name] - 1])
            if was and now and was[1] != now[1]:
                yield f"{name} ({was[1]} is {now[1]})"


def _ties(
    above: FxText, text: FxText, names: list[str], gone: list[str]
) -> Iterator[tuple[int, int]]:
    there, here = _comments(above), _comments(text)
    replaced = [above.lines[name] for name in gone]
    if len({there.get(line) for line in replaced}) > 1:
        replaced = []
    for name in names:
        if name in above.lines:
            yield above.lines[name], text.lines[name]
        elif name in text.lines:
            source = here.get(text.lines[name], "")
            same = {line for line in above.lines.values() if there.get(line) == source}
            same = _with_operands(above, same, gone) if source else set(replaced)
            for line in sorted(same)[:_FEW]:
                yield line, text.lines[name]


def _with_operands(above: FxText, lines: set[int], gone: list[str]) -> set[int]:
    """Add the lines of nodes that went with these lines' nodes, whose operands they were."""
    texts = above.text.splitlines()
    place = {above.lines[name]: name for name in gone}
    lines, reached = set(lines), [line for line in lines if line in place]
    while reached:
        read = set(_NAME.findall(texts[reached.pop() - 1].partition(" = ")[2].partition(";")[0]))
        new = {line for line, name in place.items() if name in read} - lines
        lines |= new
        reached += new
    return lines


def _comments(text: FxText) -> dict[int, str]:
    """Return the comment with the place in the source that stands above each line."""
    comments: dict[int, str] = {}
    comment = ""
    for number, line in enumerate(text.text.splitlines(), 1):
        if line.lstrip().startswith("# "):
            comment = line.strip() if line.lstrip().startswith("# File: ") else ""
        comments[number] = comment
    return comments


def _join_names(names: list[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more
