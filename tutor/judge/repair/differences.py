"""The differences between a program and another one in its names: edits below the statement, in
hunks that bring along what they read."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from tutor.judge.repair.edits import Edit, delete_node, insert_node, replace_node
from tutor.judge.repair.likeness import Likeness
from tutor.judge.repair.running_order import acts, binds_at_top, find_needed, runs_with
from tutor.judge.repair.trees import (
    BODIES,
    COMPOUND,
    Function,
    loads,
    locals_of,
    stores,
    top_level_names,
    with_fields,
)

_MOST_EDITS = 4  # of one statement; more is another statement
_MOSTLY_NEW = 0.9  # share of new nodes from which several edits are one
_ALIKE = 0.4  # from which two statements are versions of one
_SAME_ROLE = 0.35  # what speaks for a pair of statements beside their words
_SAME_TARGET = 0.3
_ALIKE_GRAFT = 0.6

_ASSIGNMENTS = (ast.Assign, ast.AugAssign)
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
_SETS = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)  # the order of their terms means nothing
_WHOLE = (ast.Name, ast.Constant, ast.JoinedStr, ast.comprehension)
_SILENT = ("type_comment", "kind", "ctx")  # fields that say nothing of their own


class Differ:
    """Finds the smallest replacements that make one tree of another."""

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness

    def edits(self, a: ast.AST, b: ast.AST) -> list[Edit]:
        """Return the replacements within `a` that make it `b`."""
        if self._likeness.same(a, b):
            return []
        whole = [replace_node(a, b)]
        if isinstance(a, _ASSIGNMENTS) and isinstance(b, _ASSIGNMENTS) and type(a) is not type(b):
            return self._assignments(a, b) or whole
        if type(a) is not type(b) or isinstance(a, _WHOLE):
            return whole
        parts = self._parts(a, b)
        if parts is None:
            return whole
        if not isinstance(a, COMPOUND) and len(parts) > 1:
            new = sum(edit.size for edit in parts)
            if len(parts) > _MOST_EDITS or new > _MOSTLY_NEW * self._likeness.nodes(b):
                return whole
        return parts

    def _assignments(
        self, a: ast.Assign | ast.AugAssign, b: ast.Assign | ast.AugAssign
    ) -> list[Edit]:
        """Compare `x = …` with `x += …`: the sign, and apart from it the value. [] for other targets."""
        mine = a.targets[0] if isinstance(a, ast.Assign) else a.target
        theirs = b.targets[0] if isinstance(b, ast.Assign) else b.target
        if not isinstance(mine, ast.Name) or not self._likeness.same(mine, theirs):
            return []
        return [replace_node(a, with_fields(b, value=a.value)), *self.edits(a.value, b.value)]

    def _parts(self, a: ast.AST, b: Any) -> list[Edit] | None:
        """Return edits below `a`; None if nothing smaller than the whole will do."""
        if isinstance(a, ast.Call):
            return self._call(a, b)
        if isinstance(a, ast.BinOp):
            if type(a.op) is not type(b.op):
                same = self._likeness.same
                if same(a.left, b.left) and same(a.right, b.right):
                    return [replace_node(a, with_fields(a, op=b.op))]
                return None
            if isinstance(a.op, _SETS):
                parts = self._terms(terms(a, type(a.op)), terms(b, type(a.op)))
                if parts is not None:
                    return parts
        if isinstance(a, ast.Compare) and len(a.ops) == len(b.ops):
            parts = self.edits(a.left, b.left)
            for x, y in zip(a.comparators, b.comparators, strict=True):
                parts += self.edits(x, y)
            if [type(op) for op in a.ops] != [type(op) for op in b.ops]:
                parts.append(replace_node(a, with_fields(a, ops=b.ops)))
            return parts
        return self._fields(a, b)

    def _terms(self, mine: list[ast.expr], theirs: list[ast.expr]) -> list[Edit] | None:
        """Compare two sums, products or conditions of equally many terms, in any order."""
        if len(mine) != len(theirs):
            return None
        mine, theirs = list(mine), list(theirs)
        for term in list(mine):
            twin = next((t for t in theirs if self._likeness.same(term, t)), None)
            if twin is not None:
                mine.remove(term)
                theirs.remove(twin)
        parts: list[Edit] = []
        for term in mine:
            likest = max(theirs, key=lambda t, term=term: self._likeness.like(term, t))  # type: ignore[misc]
            theirs.remove(likest)
            parts += self.edits(term, likest)
        return parts

    def _call(self, a: ast.Call, b: ast.Call) -> list[Edit] | None:
        if not self._likeness.same(a.func, b.func):
            methods = isinstance(a.func, ast.Attribute) and isinstance(b.func, ast.Attribute)
            if methods and len(a.args) != len(b.args):
                return None
            other = _last_name(a.func) != _last_name(b.func)
            if other and not self._all_same(a.args, b.args):
                return None
        parts = self.edits(a.func, b.func)
        for x, y in zip(a.args, b.args, strict=False):
            parts += self.edits(x, y)
        theirs_by_name = {k.arg: k for k in b.keywords}
        names = [k.arg for k in a.keywords]
        for keyword in a.keywords:
            if twin := theirs_by_name.get(keyword.arg):
                parts += self.edits(keyword.value, twin.value)
        args = [*a.args, *b.args[len(a.args) :]][: len(b.args)]
        kept = [k for k in a.keywords if k.arg in theirs_by_name]
        keywords = kept + [k for k in b.keywords if k.arg not in names]
        if len(args) != len(a.args) or len(kept) != len(a.keywords) or len(keywords) != len(kept):
            parts.append(replace_node(a, with_fields(a, args=args, keywords=keywords)))
        return parts

    def _all_same(self, mine: Sequence[ast.AST], theirs: Sequence[ast.AST]) -> bool:
        return len(mine) == len(theirs) and all(map(self._likeness.same, mine, theirs))

    def _fields(self, a: ast.AST, b: ast.AST) -> list[Edit] | None:
        parts: list[Edit] = []
        for name, mine in ast.iter_fields(a):
            theirs = getattr(b, name, None)
            if name in _SILENT or (name in BODIES and isinstance(a, COMPOUND)):
                continue
            if isinstance(mine, list):
                if not isinstance(theirs, list) or len(mine) != len(theirs):
                    return None
                pairs = list(zip(mine, theirs, strict=True))
            else:
                pairs = [(mine, theirs)]
            for x, y in pairs:
                edits = self._field(x, y)
                if edits is None:
                    return None
                parts += edits
        return parts

    def _field(self, x: Any, y: Any) -> list[Edit] | None:
        if isinstance(x, ast.operator | ast.unaryop | ast.boolop | ast.cmpop):
            return [] if type(x) is type(y) else None
        if isinstance(x, ast.AST) and isinstance(y, ast.AST):
            return self.edits(x, y)
        return [] if x == y and type(x) is type(y) else None

    def grafts(self, a: ast.expr, b: ast.expr) -> Iterator[tuple[float, ast.expr]]:
        """Yield what `b` wraps around something like `a`, around `a` itself: the best two, each with
        how alike they are."""
        found: list[tuple[float, ast.expr]] = []
        for x in self._likeness.parts(b):
            alike = 0.0
            if self._likeness.same(x, a):
                alike = 1.0
            elif self._likeness.nodes(x) > 3:
                alike = self._likeness.like(x, a)
            if alike > _ALIKE_GRAFT:
                found.append((alike, x))
        for alike, x in sorted(found, key=lambda pair: -pair[0])[:2]:
            yield alike, _with_part(b, x, a)


def _with_part(whole: Any, part: ast.AST, new: ast.AST) -> Any:
    """Return `whole` with `new` in the place of `part`; what does not change is shared."""
    if whole is part:
        return new
    changes: dict[str, Any] = {}
    for name, value in ast.iter_fields(whole):
        if isinstance(value, list):
            made = [_with_part(v, part, new) if isinstance(v, ast.AST) else v for v in value]
            if any(x is not y for x, y in zip(made, value, strict=True)):
                changes[name] = made
        elif isinstance(value, ast.AST):
            made_one = _with_part(value, part, new)
            if made_one is not value:
                changes[name] = made_one
    return with_fields(whole, **changes) if changes else whole


def terms(node: ast.expr, operator: type[ast.operator]) -> list[ast.expr]:
    """Return the terms of a sum, the factors of a product, the parts of a condition by `&`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, operator):
        return terms(node.left, operator) + terms(node.right, operator)
    return [node]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ast.unparse(node)


# --- hunks ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Hunk:
    """Edits that belong together. It binds names that other hunks may need."""

    edits: tuple[Edit, ...]
    binds: frozenset[str] = field(default=frozenset())
    needs: frozenset[str] = field(default=frozenset())

    @property
    def weight(self) -> int:
        return sum(edit.size for edit in self.edits)


def closure(chosen: Iterable[Hunk], hunks: Iterable[Hunk]) -> list[Hunk]:
    """Return the chosen hunks with those that bind what they read."""
    found = list(chosen)
    for hunk in found:  # the list grows during the loop
        for name in hunk.needs:
            if not any(name in other.binds for other in found):
                found += [h for h in hunks if name in h.binds and h not in found]
    return found


def all_edits(hunks: Iterable[Hunk]) -> tuple[Edit, ...]:
    """Return the edits of hunks in one row."""
    return tuple(edit for hunk in hunks for edit in hunk.edits)


def find_hunks(mine: ast.Module, theirs: ast.Module, likeness: Likeness) -> list[Hunk]:
    """Return the differences of two modules with the same names. All of them together make a program
    that does what `theirs` does."""
    return _Hunks(mine, likeness).of_module(theirs)


class _Hunks:
    def __init__(self, mine: ast.Module, likeness: Likeness) -> None:
        self._mine, self._likeness = mine, likeness
        self._differ = Differ(likeness)
        self._top = top_level_names(mine)
        self._places = {id(statement): place for place, statement in enumerate(mine.body)}
        first = (i for i, s in enumerate(mine.body) if isinstance(s, _DEFINITIONS))
        self._first = next(first, len(mine.body))

    def of_module(self, theirs: ast.Module) -> list[Hunk]:
        pairs = self._pair_top(theirs)
        later = top_level_names(theirs) - self._top
        places: dict[int, int] = {}  # where each of theirs stands among mine
        hunks: list[Hunk] = []
        for statement, before in find_needed(theirs):
            own = pairs.get(id(statement))
            least = max((places[id(each)] for each in before), default=0)
            if own is not None and least <= self._places[id(own)]:
                places[id(statement)] = self._places[id(own)] + 1
                hunks += self._paired(own, statement, later)
                continue
            imported = isinstance(statement, ast.Import | ast.ImportFrom)
            place = places[id(statement)] = max(least, 0 if imported else self._first)
            edits = [insert_node(self._mine, "body", place, statement)]
            if own is not None:  # what it needs stands below it
                edits.insert(0, delete_node(own))
            needs = frozenset() if imported else self._needs(statement, later)
            hunks.append(Hunk(tuple(edits), frozenset(binds_at_top(statement)), needs))
        return hunks + self._gone(theirs, pairs)

    def _pair_top(self, theirs: ast.Module) -> dict[int, ast.stmt]:
        """Return my counterpart of each statement of theirs that has one: definitions by their names,
        then what says the same, what sets the same name, and calls that are alike."""
        free = list(self._mine.body)
        pairs: dict[int, ast.stmt] = {}
        tests: tuple[Callable[[ast.stmt, ast.stmt], bool], ...] = (
            lambda x, y: isinstance(y, _DEFINITIONS) and x.name == y.name,  # type: ignore[attr-defined]
            self._likeness.same,
            lambda x, y: isinstance(y, ast.Assign) and stores([x]) == stores([y]) != set(),
            lambda x, y: isinstance(y, ast.Expr) and self._pair(x, y) > _ALIKE,
        )
        for fits in tests:
            for statement in (each for each in theirs.body if id(each) not in pairs):
                for own in free:
                    if type(own) is type(statement) and fits(own, statement):
                        pairs[id(statement)] = own
                        free.remove(own)
                        break
        return pairs

    def _paired(self, own: ast.stmt, theirs: ast.stmt, later: set[str]) -> list[Hunk]:
        if self._likeness.same(own, theirs):
            return []
        if isinstance(own, ast.FunctionDef) and isinstance(theirs, ast.FunctionDef):
            return self._function(own, theirs)
        if isinstance(own, ast.ClassDef) and isinstance(theirs, ast.ClassDef):
            return self._bodies(own, "body", theirs.body, self._top | stores([own]))
        edits = tuple(self._differ.edits(own, theirs))
        return [Hunk(edits, needs=self._needs(theirs, later))]

    def _needs(self, statement: ast.stmt, later: set[str]) -> frozenset[str]:
        if isinstance(statement, _DEFINITIONS):
            return frozenset(loads([statement]) & later - {statement.name})
        return frozenset(loads([statement]) - self._top - stores([statement]))

    def _gone(self, theirs: ast.Module, pairs: Mapping[int, ast.stmt]) -> list[Hunk]:
        """Return what takes those of my statements away that have no counterpart and act: what only
        defines a name may stay."""
        kept = {id(own) for own in pairs.values()}
        names = set().union(*map(binds_at_top, theirs.body))
        gone: list[ast.stmt] = []
        # What is gone, and functions that are others now: what runs with them goes too.
        lost = {each.name for each in self._mine.body if isinstance(each, ast.FunctionDef)}
        for statement in self._mine.body:
            if id(statement) in kept or isinstance(statement, ast.Import | ast.ImportFrom):
                continue
            bound = binds_at_top(statement)
            if acts(statement) or bound & names or runs_with(statement) & lost:
                gone.append(statement)
                lost |= bound - names
        return [Hunk((delete_node(statement),)) for statement in gone]

    def _function(self, own: Function, theirs: Function) -> list[Hunk]:
        known = self._top | set(locals_of(own))
        hunks: list[Hunk] = []
        if own.returns and theirs.returns:
            hunks += [Hunk((edit,)) for edit in self._differ.edits(own.returns, theirs.returns)]
        elif theirs.returns:
            hunks.append(Hunk((insert_node(own, "returns", 0, theirs.returns),)))
        if not self._likeness.same(own.args, theirs.args):
            mine = {a.arg for a in own.args.args}
            new = frozenset(a.arg for a in theirs.args.args if a.arg not in mine)
            edit = Edit(own.args, theirs.args, own.lineno)
            hunks.append(Hunk((edit,), new))
        hunks += self._decorators(own, theirs, known)
        return hunks + self._bodies(own, "body", theirs.body, known)

    def _decorators(self, own: Function, theirs: Function, known: set[str]) -> Iterator[Hunk]:
        pairs = zip_longest(own.decorator_list[::-1], theirs.decorator_list[::-1])
        for mine, other in pairs:  # from the function upwards
            if other is None:
                yield Hunk((delete_node(mine),))
                continue
            needs = frozenset(loads([other]) - known)
            if mine is None:
                yield Hunk((insert_node(own, "decorator_list", 0, other),), needs=needs)
            elif edits := self._differ.edits(mine, other):
                yield Hunk(tuple(edits), needs=needs)

    def _bodies(
        self, owner: ast.AST, name: str, theirs: list[ast.stmt], known: set[str]
    ) -> list[Hunk]:
        """Compare two lists of statements, and what stands in those that are paired."""
        mine: list[ast.stmt] = getattr(owner, name)
        hunks: list[Hunk] = []
        gone: list[tuple[ast.stmt, int]] = []
        new: list[tuple[ast.stmt, int]] = []
        position = 0
        for x, y in self._align(mine, theirs):
            if x is None:
                assert y is not None
                new.append((y, position))
                continue
            position += 1
            if y is None:
                gone.append((x, position - 1))
                continue
            if edits := self._differ.edits(x, y):
                bound = frozenset() if isinstance(x, COMPOUND) else frozenset(stores([y]))
                needs = loads(edit.new for edit in edits if edit.new is not None) - known
                hunks.append(Hunk(tuple(edits), bound, frozenset(needs - stores([x]))))
            if isinstance(x, COMPOUND):
                for body in BODIES:
                    if hasattr(x, body):
                        hunks += self._bodies(x, body, getattr(y, body), known)
        for number, (y, at) in enumerate(new):
            # The index of a statement of mine whose place y may take and keep its order.
            free: set[int] = set()
            if not any(other == at for _, other in new[number + 1 :]):
                free.add(at)
            if not any(other == at for _, other in new[:number]):
                free.add(at - 1)
            inserted = insert_node(owner, name, at, y)
            hunks.append(self._new_statement(y, inserted, gone, known, free))
        return hunks + [Hunk((delete_node(x),)) for x, _ in gone]

    def _new_statement(
        self,
        y: ast.stmt,
        inserted: Edit,
        gone: list[tuple[ast.stmt, int]],
        known: set[str],
        free: set[int],
    ) -> Hunk:
        """Return the hunk of a statement that is theirs alone. It takes from `gone` one of mine that
        it stands for: the same one elsewhere, or another value of the same names. `free` are the
        indices of statements whose place it may take."""
        needs = frozenset(loads([y]) - known - stores([y]))
        for place in gone:
            if self._likeness.same(place[0], y):
                gone.remove(place)
                return Hunk((delete_node(place[0]), inserted))
        for place in gone:
            x, index = place
            bound = stores([x])
            if isinstance(y, _ASSIGNMENTS) and type(x) is type(y) and bound == stores([y]):
                gone.remove(place)
                moved = [delete_node(x), inserted]
                edits = self._differ.edits(x, y) if index in free else moved
                return Hunk(tuple(edits), frozenset(bound), needs)
        return Hunk((inserted,), frozenset(stores([y])), needs)

    def _align(
        self, xs: list[ast.stmt], ys: list[ast.stmt]
    ) -> Iterator[tuple[ast.stmt | None, ast.stmt | None]]:
        """Yield pairs of like statements in order, and those without a counterpart alone (Needleman
        and Wunsch)."""
        n, m = len(xs), len(ys)
        alike = [[self._pair(x, y) for y in ys] for x in xs]
        best = [[0.0] * (m + 1) for _ in range(n + 1)]
        for i in range(n - 1, -1, -1):
            for j in range(m - 1, -1, -1):
                both = best[i + 1][j + 1] + alike[i][j] if alike[i][j] > _ALIKE else 0.0
                best[i][j] = max(best[i + 1][j], best[i][j + 1], both)
        i = j = 0
        while i < n or j < m:
            paired = i < n and j < m and alike[i][j] > _ALIKE
            if paired and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
                yield xs[i], ys[j]
                i, j = i + 1, j + 1
            elif i < n and (j == m or best[i][j] == best[i + 1][j]):
                yield xs[i], None
                i += 1
            else:
                yield None, ys[j]
                j += 1

    def _pair(self, x: ast.stmt, y: ast.stmt) -> float:
        """Return how well two statements fit; 0 for different kinds."""
        if type(x) is not type(y) and not (
            isinstance(x, _ASSIGNMENTS) and isinstance(y, _ASSIGNMENTS)
        ):
            return 0.0
        alike = self._likeness.like(x, y)
        if isinstance(x, ast.Expr) and isinstance(y, ast.Expr):
            a, b = x.value, y.value
            called = isinstance(a, ast.Call) and isinstance(b, ast.Call)
            same = called and self._likeness.same(a.func, b.func)  # type: ignore[attr-defined]
            return alike + (_SAME_ROLE if same else 0.0)
        if isinstance(x, ast.Return):
            return alike + _SAME_ROLE
        if isinstance(x, _ASSIGNMENTS) and stores([x]) and stores([x]) == stores([y]):
            return alike + _SAME_TARGET
        return alike
