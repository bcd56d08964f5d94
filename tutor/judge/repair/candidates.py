"""Single changes of a program in the order in which they are tried: what right answers have at like
places, and generic slips."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tutor.judge.repair.assignments import list_targets
from tutor.judge.repair.differences import Differ, Hunk, all_edits, closure
from tutor.judge.repair.edits import Edit, Program, replace_node
from tutor.judge.repair.likeness import Likeness
from tutor.judge.repair.right_answers import RightAnswer
from tutor.judge.repair.slips import Slip, find_slips
from tutor.judge.repair.trees import (
    Function,
    calls,
    functions,
    is_kernel,
    loads,
    locals_of,
    statement_texts,
    statements,
    stores,
    text_of,
    top_level_names,
    with_fields,
)

_ASSIGNMENTS = (ast.Assign, ast.AugAssign)
_BINDING = (ast.Assign, ast.FunctionDef, ast.Import, ast.ImportFrom)
_UNUSUAL = 0.8  # what a statement costs that right answers have as it is
_VOTE = 0.15  # what each further right answer with the same change takes off
_TOLD = 1.3  # what a name costs that a right answer reads there
_UNGUARDED = 0.5  # what a statement without its condition costs, as right answers have it
_LEAST_LIKE = 0.4
_MOST_GRAFTS = 400  # of one right answer
_MOST_CHANGES = 3  # of one statement


@dataclass
class Candidate:
    """A change to try. `from_answer` tells that a right answer has it; else it is a generic slip."""

    cost: float
    edits: tuple[Edit, ...]
    from_answer: bool


@dataclass
class _Collected:
    candidate: Candidate
    answers: set[str] = field(default_factory=set)


class CandidateList:
    """Collects the single changes of one program."""

    def __init__(
        self, program: Program, answers: Sequence[RightAnswer], likeness: Likeness
    ) -> None:
        self._program, self._answers, self._likeness = program, answers, likeness
        self._differ = Differ(likeness)
        self._found: dict[Any, _Collected] = {}
        top = top_level_names(program.tree)
        self._functions = functions(program.tree)
        self._known = {name: top | set(locals_of(f)) for name, f in self._functions.items()}
        self._readable = readable_names(program.tree)
        self._read = loads([program.tree])
        self._usual = {text for answer in answers for text in statement_texts(answer.tree)}
        self._usual |= {text for answer in answers for text in answer.own}
        self._surprising = self._find_surprising()

    def collect(self) -> list[Candidate]:
        """Return all candidates, the likeliest first."""
        for answer in self._answers:
            for hunk in answer.hunks:
                self._add_hunk(answer, hunk)
            theirs = functions(answer.tree)
            for name, mine in self._functions.items():
                for other in self._counterparts(theirs, name, mine):
                    self._compare_parts(answer, name, mine, other)
                    self._graft(answer, name, mine, other)
        for slip in find_slips(self._program):
            self._add(self._cost_of(slip), tuple(slip.edits), "")
        found = [collected.candidate for collected in self._found.values()]
        return sorted(found, key=lambda candidate: candidate.cost)

    def _cost_of(self, slip: Slip) -> float:
        """Return the cost of a slip: less for a name that a right answer reads where it sets the same,
        and not the name that stands there, and for a statement without its condition where a right
        answer has that statement."""
        old, new = (
            (slip.edits[0].target, slip.edits[0].new) if len(slip.edits) == 1 else (None, None)
        )
        if isinstance(old, ast.If) and isinstance(new, ast.stmt):
            told = id(old.test) in self._surprising and text_of(new) in self._usual
            return _UNGUARDED if told else slip.cost
        if not isinstance(old, ast.Name) or not isinstance(new, ast.Name):
            return slip.cost
        row = next((n for n in self._program.above(old) if isinstance(n, _ASSIGNMENTS)), None)
        if row is None or new.id in loads([row]):
            return slip.cost
        read = self._read_for.get(frozenset(stores([row])), ())
        agreed = sum(new.id in names and old.id not in names for names in read)
        told = 2 * agreed > len(read)
        return min(slip.cost, _TOLD) if told else slip.cost

    @cached_property
    def _read_for(self) -> dict[frozenset[str], list[set[str]]]:
        """What right answers read where they set names, by these names."""
        found: dict[frozenset[str], list[set[str]]] = {}
        for answer in self._answers:
            for node in ast.walk(answer.tree):
                if isinstance(node, _ASSIGNMENTS):
                    found.setdefault(frozenset(stores([node])), []).append(loads([node]))
        return found

    def _find_surprising(self) -> set[int]:
        """Return the nodes of statements that no right answer has."""
        return {
            id(node)
            for function in self._functions.values()
            for head, statement in statements(function)
            if text_of(statement) not in self._usual
            for node in ast.walk(head)
        }

    def is_surprising(self, node: ast.AST) -> bool:
        """Return True if no right answer has the statement that a node stands in."""
        return id(node) in self._surprising

    def _counterparts(
        self, theirs: dict[str, Function], name: str, mine: Function
    ) -> list[Function]:
        if name in theirs:
            return [theirs[name]]
        return [other for other in theirs.values() if is_kernel(other) == is_kernel(mine)]

    def _add(self, cost: float, edits: tuple[Edit, ...], origin: str) -> None:
        """Add a change; where a statement beside it adds the same, the change of both too."""
        self._add_once(cost, edits, origin)
        if len(edits) == 1 and (twins := self._find_twins(edits[0])):
            self._add_once(cost + 0.05, (edits[0], *twins), origin)

    def _find_twins(self, edit: Edit) -> list[Edit]:
        """Return the same change in the statements of the same block that add the same."""
        row = next((n for n in self._program.above(edit.target) if isinstance(n, ast.stmt)), None)
        if edit.new is None or not isinstance(row, ast.AugAssign):
            return []
        form = self._likeness.form(row.value)
        block = getattr(self._program.parent(row), "body", ())
        place = next((i for i, n in enumerate(ast.walk(row.value)) if n is edit.target), None)
        return [
            replace_node(list(ast.walk(other.value))[place], edit.new)
            for other in block
            if place is not None and isinstance(other, ast.AugAssign) and other is not row
            if self._likeness.form(other.value) == form
        ]

    def _add_once(self, cost: float, edits: tuple[Edit, ...], origin: str) -> None:
        if not edits or binds_only_unread(edits, self._read):
            return
        key = tuple(self._key(edit) for edit in edits)
        in_own = [id(e.target) in self._surprising for e in edits if e.target is not None]
        moved = {id(e.new) for e in edits} & {id(e.target) for e in edits if e.target is not None}
        cost += 0.0 if not in_own or any(in_own) or moved else _UNUSUAL
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = _Collected(Candidate(cost, edits, bool(origin)))
        else:
            voted = _VOTE if origin and origin not in known.answers else 0.0
            known.candidate.cost = min(cost, known.candidate.cost) - voted
            known.candidate.from_answer |= bool(origin)
        if origin:
            known.answers.add(origin)

    def _key(self, edit: Edit) -> Any:
        new = self._likeness.form(edit.new) if edit.new is not None else ""
        return id(edit.target), id(edit.owner), edit.field, edit.index, new

    def _add_hunk(self, answer: RightAnswer, hunk: Hunk) -> None:
        for edit in hunk.edits if len(hunk.edits) > 1 else ():
            if reads_only(edit, self._readable):
                self._add(0.7 + 0.03 * edit.size, (edit,), answer.name)
        for edit in filter(None, map(keep_targets, hunk.edits)):
            self._add(0.7 + 0.03 * edit.size, (edit,), answer.name)
        closed = closure([hunk], answer.hunks)
        weight = sum(h.weight for h in closed)
        cost = 0.9 + 0.03 * weight + 0.3 * (len(closed) - 1)
        self._add(cost, all_edits(closed), answer.name)

    def _compare_parts(
        self, answer: RightAnswer, name: str, mine: Function, theirs: Function
    ) -> None:
        """Add what would make a statement, call or comparison of mine a like one of theirs."""
        for a, b, extra in self._pairs(mine, theirs):
            alike = self._likeness.like(a, b)
            if alike < _LEAST_LIKE or alike == 1.0:
                continue
            edits = self._differ.edits(a, b)
            launch = isinstance(a, ast.Call) and isinstance(a.func, ast.Subscript)
            if not 0 < len(edits) <= (8 if launch else _MOST_CHANGES):
                continue
            if loads(edit.new for edit in edits if edit.new is not None) - self._known[name]:
                continue
            far = 2 * (1 - alike) + extra
            for edit in edits:
                if self._is_nonsense(edit):
                    continue
                cost = 0.5 + far + 0.04 * edit.size + 0.2 * (len(edits) - 1)
                self._add(cost, (edit,), answer.name)
            if 1 < len(edits) <= _MOST_CHANGES:
                size = sum(edit.size for edit in edits)
                self._add(0.8 + far + 0.03 * size, tuple(edits), answer.name)

    def _is_nonsense(self, edit: Edit) -> bool:
        """Return True if something would be called that is no function."""
        above = self._program.parent(edit.target)
        if isinstance(above, ast.Subscript) and above.value is edit.target:
            call = self._program.parent(above)
            if isinstance(call, ast.Call) and call.func is above:
                return not isinstance(edit.new, ast.Name) or edit.new.id not in self._functions
        called = isinstance(above, ast.Call) and above.func is edit.target
        return called and not isinstance(edit.new, ast.Name | ast.Attribute)

    def _pairs(self, mine: Function, theirs: Function) -> Iterator[tuple[ast.AST, ast.AST, float]]:
        """Yield statements and expressions that may be versions of each other, and what the pair
        costs."""
        others = [head for head, _ in statements(theirs)]
        for a, _ in statements(mine):
            for b in others:
                if type(a) is type(b) or (
                    isinstance(a, _ASSIGNMENTS) and isinstance(b, _ASSIGNMENTS)
                ):
                    yield a, b, 0.0
        parts = list(self._parts(theirs))
        for x in self._parts(mine):
            for y in parts:
                if type(x) is not type(y):
                    continue
                called = isinstance(x, ast.Call) and isinstance(y, ast.Call)
                if not called or self._likeness.same(x.func, y.func):  # type: ignore[attr-defined]
                    yield x, y, 0.4

    def _parts(self, function: Function) -> Iterator[ast.expr]:
        for node in ast.walk(function):
            if not isinstance(node, ast.Call | ast.Compare | ast.BinOp):
                continue
            if self._likeness.nodes(node) > 4:
                yield node

    def _graft(self, answer: RightAnswer, name: str, mine: Function, theirs: Function) -> None:
        """Add what theirs wraps around an expression like one of mine, around mine."""
        values = list(_values(mine))
        parts = [
            node
            for value in values
            for node in ast.walk(value)
            if isinstance(node, ast.BinOp | ast.Call) or (node is value)
        ]
        bound = set().union(*(hunk.binds for hunk in answer.hunks))
        grafted = 0
        for whole in _values(theirs):
            if isinstance(whole, ast.Name | ast.Constant):
                continue
            for node in parts:
                if grafted >= _MOST_GRAFTS or not isinstance(node, ast.expr):
                    continue
                for alike, new in self._differ.grafts(node, whole):
                    lacking = loads([new]) - self._known[name]
                    if lacking - bound:
                        continue
                    grafted += 1
                    need = Hunk((), needs=frozenset(lacking))
                    more = closure([need], answer.hunks)[1:] if lacking else []
                    edit = Edit(node, new, node.lineno)
                    cost = 0.7 + 0.03 * edit.size + 1.6 * (1 - alike) + 0.3 * len(more)
                    self._add(cost, (edit, *all_edits(more)), answer.name)


def keep_targets(edit: Edit) -> Edit | None:
    """Return an assignment of several names with these in the order in which the program sets them
    there: which of them is which may have been read wrongly off the right answer. Else None."""
    old, new = edit.target, edit.new
    if not isinstance(new, ast.Assign) or not isinstance(new.targets[0], ast.Tuple):
        return None
    rows = [old] if old is not None else getattr(edit.owner, edit.field)[: edit.index]
    set_here = (node for row in rows for node in ast.walk(row) if isinstance(node, ast.Assign))
    mine = [text for node in set_here for text in list_targets(node)]
    theirs = {ast.unparse(target): target for target in new.targets[0].elts}
    order = [text for text in dict.fromkeys(mine) if text in theirs]
    if order == list(theirs) or len(order) != len(theirs):
        return None
    targets = ast.Tuple([theirs[text] for text in order], ast.Store())
    return replace(edit, new=with_fields(new, targets=[targets]))


def readable_names(tree: ast.Module) -> set[str]:
    """Return every name that is bound somewhere in a module, or known to Python."""
    bound = {name for function in functions(tree).values() for name in locals_of(function)}
    return top_level_names(tree) | bound | stores([tree])


def reads_only(edit: Edit, names: set[str]) -> bool:
    """Return True if an edit reads none but these names, and those that it binds."""
    return edit.new is None or not loads([edit.new]) - names - stores([edit.new])


def binds_only_unread(edits: Sequence[Edit], read: set[str]) -> bool:
    """Return True if all that is new are names that nothing reads."""
    names: set[str] = set()
    for edit in edits:
        if edit.target is not None or not isinstance(edit.new, _BINDING):
            return False
        if isinstance(edit.new, ast.FunctionDef):
            names.add(edit.new.name)
        elif isinstance(edit.new, ast.Assign):
            if not all(isinstance(target, ast.Name | ast.Tuple) for target in edit.new.targets):
                return False
            names |= stores([edit.new])
        else:
            names |= {(a.asname or a.name).split(".")[0] for a in edit.new.names}
    return not names & read


def _values(function: Function) -> Iterator[ast.expr]:
    """Yield what a function assigns, returns and stores."""
    for statement, _ in statements(function):
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Return) and statement.value:
            yield statement.value
    for call in calls(function, "tl.store", "tl.atomic_add"):
        if len(call.args) > 1:
            yield call.args[1]
