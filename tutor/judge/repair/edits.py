"""Changes of a program, and the program with some of them made."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tutor.judge.repair.trees import count_nodes, line_of, with_fields

_DELETED = 4  # what a deletion weighs, in nodes


@dataclass(frozen=True, eq=False)
class Edit:
    """One change. `target` is replaced by `new`, or deleted without one. Without a target `new` goes
    into the list `field` of `owner`, before its element `index`; or it becomes the field, where the
    owner has none."""

    target: ast.AST | None
    new: ast.AST | None
    line: int
    owner: ast.AST | None = None
    field: str = ""
    index: int = 0

    @cached_property
    def size(self) -> int:
        """How much is written new, in nodes: what is kept of the target does not count."""
        if self.new is None:
            return _DELETED
        kept = {id(node) for node in ast.walk(self.target)} if self.target else set()
        return count_nodes(self.new, kept)


def replace_node(target: ast.AST, new: ast.AST) -> Edit:
    """Return the edit that puts `new` in the place of a node."""
    return Edit(target, new, line_of(target))


def delete_node(target: ast.AST) -> Edit:
    """Return the edit that takes a statement or decorator away."""
    return Edit(target, None, line_of(target))


def insert_node(owner: ast.AST, field: str, index: int, new: ast.AST) -> Edit:
    """Insert a statement or decorator. Its line is that of the element whose place it takes, or the
    last one of the last element."""
    listed: Sequence[ast.AST] = getattr(owner, field) or ()
    near = listed[min(index, len(listed) - 1)] if listed else owner
    last = getattr(near, "end_lineno", None) if listed and index >= len(listed) else None
    return Edit(None, new, last or line_of(near) or 1, owner, field, min(index, len(listed)))


class Program:
    """A learner's program that edits are made in. The tree itself never changes."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._parents: dict[int, ast.AST] = {}
        for parent in ast.walk(tree):
            for child in ast.iter_child_nodes(parent):
                self._parents[id(child)] = parent
        self._texts: dict[int, str] = {}  # of the top level's statements

    def parent(self, node: ast.AST | None) -> ast.AST | None:
        return self._parents.get(id(node))

    def above(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """Yield the nodes that a node stands in, the innermost first."""
        up = self.parent(node)
        while up is not None:
            yield up
            up = self.parent(up)

    def after(self, edits: Iterable[Edit]) -> str:
        """Return the text of the program with these changes.

        Raises `ValueError` or `RecursionError` if it has no text.
        """
        changed = _Change(self, tuple(edits)).make(self.tree)
        return "\n\n".join(self._text(statement) for statement in changed.body) + "\n"

    def _text(self, statement: ast.stmt) -> str:
        if self._parents.get(id(statement)) is not self.tree:
            return ast.unparse(statement)
        if id(statement) not in self._texts:
            self._texts[id(statement)] = ast.unparse(statement)
        return self._texts[id(statement)]


class _Change:
    """Makes edits by new nodes on the way to each of them; all others are shared."""

    def __init__(self, program: Program, edits: tuple[Edit, ...]) -> None:
        self._replaced: dict[int, ast.AST] = {}
        self._deleted: set[int] = set()
        self._inserted: dict[tuple[int, str], list[Edit]] = {}
        self._way: set[int] = set()  # nodes that hold a change
        self._open: set[int] = set()  # targets inside their own replacement
        for edit in edits:
            node = edit.owner if edit.target is None else edit.target
            assert node is not None
            self._way |= {id(node), *map(id, program.above(node))}
            if edit.target is None:
                self._inserted.setdefault((id(node), edit.field), []).append(edit)
            elif edit.new is None:
                self._deleted.add(id(node))
            else:
                self._replaced[id(node)] = edit.new
        self._several = len(edits) > 1

    def make(self, tree: ast.Module) -> ast.Module:
        made = self._node(tree, False)
        assert isinstance(made, ast.Module)
        return made

    def _node(self, node: ast.AST, everywhere: bool) -> ast.AST:
        if id(node) in self._replaced and id(node) not in self._open:
            self._open.add(id(node))
            new = self._replaced[id(node)]
            # What replaces it may hold other nodes of the program that change too.
            made = self._node(new, True) if self._several else new
            self._open.discard(id(node))
            return made
        if not everywhere and id(node) not in self._way:
            return node
        changes: dict[str, Any] = {}
        for field, value in ast.iter_fields(node):
            made_field: Any = value
            if isinstance(value, list):
                made_field = self._list(node, field, value, everywhere)
            elif isinstance(value, ast.AST):
                gone = id(value) in self._deleted
                made_field = None if gone else self._node(value, everywhere)
            elif value is None and (given := self._inserted.get((id(node), field))):
                made_field = given[-1].new
            if made_field is not value:
                changes[field] = made_field
        return with_fields(node, **changes) if changes else node

    def _list(self, owner: ast.AST, field: str, listed: list[Any], everywhere: bool) -> list[Any]:
        inserted = self._inserted.get((id(owner), field), [])
        out: list[Any] = []
        for index, item in enumerate(listed):
            out += [edit.new for edit in inserted if edit.index == index]
            if isinstance(item, ast.AST):
                if id(item) not in self._deleted:
                    out.append(self._node(item, everywhere))
            else:
                out.append(item)
        out += [edit.new for edit in inserted if edit.index >= len(listed)]
        if not out and listed and field == "body":
            out.append(ast.Pass())
        unchanged = len(out) == len(listed) and all(
            a is b for a, b in zip(out, listed, strict=True)
        )
        return listed if unchanged else out
