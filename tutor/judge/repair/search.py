"""The search for the smallest change that makes every case right.

Singles of the nearest right answer first, then all single changes, then pairs, then what is left of
the whole difference when all that is not needed is taken away (delta debugging, Zeller and Hildebrandt
2002). What is found is shrunk; where the budget ends before that, it is not told. A number, a block
size or a branch that is taken away gives way to another single change that does it too: such a change
often hides the cause.
"""

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, islice
from typing import Protocol

from tutor.judge.repair.assignments import (
    discards_work,
    find_definition,
    find_module_constant,
    find_targets,
    find_worked_out,
)
from tutor.judge.repair.both_sides import exchange_sides
from tutor.judge.repair.candidates import (
    Candidate,
    CandidateList,
    binds_only_unread,
    keep_targets,
    readable_names,
    reads_only,
)
from tutor.judge.repair.differences import Hunk, all_edits, closure
from tutor.judge.repair.edits import Edit, Program, delete_node, insert_node, replace_node
from tutor.judge.repair.likeness import Likeness
from tutor.judge.repair.place import is_brought_along, lie_apart, lines_of
from tutor.judge.repair.right_answers import RightAnswer, compare_answers
from tutor.judge.repair.suspects import Steps, find_suspects, less_cost
from tutor.judge.repair.trees import (
    BODIES,
    Unreadable,
    callee,
    calls,
    count_nodes,
    functions,
    is_constant,
    loads,
    name_kernel,
    read_program,
    stores,
    with_fields,
)

MOST_EDITS, MOST_NODES = 4, 45  # of a change that is small enough to name a cause
MOST_OF_PROGRAM = 0.5  # of its nodes
_COPIES = ("contiguous", "clone")
_SETTINGS = (ast.Assign, ast.AugAssign, ast.Expr)
_VALUED = (ast.Assign, ast.AugAssign, ast.Return)
_LITTLE_IN_COMMON, _LEAST_WORK = 0.4, 6  # likeness of old and new text, and nodes written new
_MOST_SINGLES = 40  # of the nearest right answer, tried before all others
_SINGLES_SHARE, _PAIRS_SHARE = 0.6, 0.85  # of the budget, after which the next kind has its turn
_MOST_PAIRED = 9  # hunks of which each pair is tried
_MOST_PARTIAL = 7  # changes that repair some cases, tried two at a time
_MORE_TRIES = 25  # to find another change where one is found that may hide the cause
_MOST_VALUES = 6  # of a constant of the module that are tried


class Spent(Exception):
    """The budget of a search is spent."""


@dataclass(frozen=True)
class Trial:
    """How a changed program did: how many cases were right, and whether the judge accepts it."""

    right: int
    accepted: bool


class Tries(Protocol):
    """Tries programs within a budget. `spent` is the share of it that is gone, 0 to 1 or more."""

    @property
    def spent(self) -> float: ...

    def attempt(self, source: str) -> Trial:
        """Try the text of a program. Raises `Spent` where no more may be tried."""


@dataclass(frozen=True, eq=False)
class Repair:
    """Edits of `program` that make every case right: `text` is the program with them. Of edits in lines
    that lie apart, `effective` are the lines of which a change alone makes some wrong case right."""

    program: Program
    edits: tuple[Edit, ...]
    text: str
    effective: frozenset[int] = frozenset()

    @property
    def small(self) -> bool:
        """True if the change is small enough to be a cause."""
        if any(isinstance(edit.new, ast.FunctionDef | ast.ClassDef) for edit in self.edits):
            return False
        nodes = sum(edit.size for edit in self.edits)
        most = min(MOST_NODES, MOST_OF_PROGRAM * count_nodes(self.program.tree))
        return len(self.edits) <= MOST_EDITS and nodes <= most


def find_repair(
    source: str,
    answers: Sequence[tuple[str, str]],
    tries: Tries,
    accesses: Collection[int] = (),
) -> Repair | None:
    """Return the smallest change that was found, or None.

    `answers` are names and texts of right programs, `accesses` the lines of loads and stores that went
    wrong: changes on the way to them are tried before others. The program itself is tried first: if it
    is accepted in the form in which it is compared, nothing can be said of it.
    """
    try:
        program = Program(read_program(source))
    except Unreadable:
        return None
    try:
        before = tries.attempt(program.after(()))
        if before.accepted:
            return None
        likeness = Likeness()
        compared = compare_answers(program.tree, answers, likeness)
        steps = find_suspects(program.tree, accesses)
        return _Search(program, compared, likeness, tries, steps, before.right).run()
    except (Spent, RecursionError):
        return None


class _Search:
    def __init__(
        self,
        program: Program,
        answers: list[RightAnswer],
        likeness: Likeness,
        tries: Tries,
        steps: Steps,
        right_before: int,
    ) -> None:
        self._program, self._answers, self._likeness = program, answers, likeness
        self._tries, self._steps = tries, steps
        self._bound = stores([program.tree])
        self._constants = {
            name: {a.arg for a in function.args.args if is_constant(a)}
            for name, function in functions(program.tree).items()
        }
        self._known: dict[str, bool] = {}
        # Cases that are right before the first wrong one: of the program itself, and by a text.
        self._right_before, self._right = right_before, dict[str, int]()
        self._partial: list[tuple[int, tuple[Edit, ...]]] = []
        self._doubtful: tuple[Edit, ...] | None = None  # a change that may hide the cause

    def run(self) -> Repair | None:
        try:
            found = self._single() or self._pair() or self._rest()
            found = self._shrink(found) if found else None
        except Spent:  # of what does it, a part may not be needed: its lines would mislead
            found = self._doubtful
        if not found or self._says_nothing(found):
            return None
        text = self._program.after(found)
        return Repair(self._program, found, text, frozenset(self._effective(found)))

    def _effective(self, edits: Sequence[Edit]) -> Iterator[int]:
        """Yield the lines of which the change alone makes a wrong case right, if the lines lie apart."""
        if not lie_apart(self._program, edits):
            return
        for line in lines_of(edits):
            own = [edit for edit in edits if lines_of([edit]) == [line]]
            need = loads(edit.new for edit in own if edit.new is not None)
            own += [edit for edit in edits if edit not in own and _binds(edit) & need]
            with suppress(Spent):
                if self._mends_a_case(own):
                    yield line

    def _mends_a_case(self, edits: Sequence[Edit]) -> bool:
        """Return True if with these edits a case is right that stops the program as it is: the first
        wrong one of those that are tried."""
        self._accepts(edits)
        return self._right.get(self._program.after(edits), 0) > self._right_before

    def _says_nothing(self, edits: Sequence[Edit]) -> bool:
        """Return True for a change that names no place of the fault: it mends the result from outside,
        or works out anew what the program has worked out elsewhere."""
        read = loads(edit.new for edit in edits if edit.new is not None)
        edits = [edit for edit in edits if not is_brought_along(edit)] or edits
        if len(edits) > 1 and any(self._replaces_helper(edit, read) for edit in edits):
            return True
        return all(map(self._hides, edits)) or any(self._bypasses(edit, read) for edit in edits)

    def _accepts(self, edits: Sequence[Edit]) -> bool:
        try:
            text = self._program.after(edits)
        except (ValueError, RecursionError):  # a part of an f-string has no text of its own
            return False
        if text not in self._known:
            trial = self._tries.attempt(text)
            self._known[text], self._right[text] = trial.accepted, trial.right
            if trial.right and not trial.accepted and len(edits) <= MOST_EDITS:
                self._partial.append((trial.right, tuple(edits)))
        return self._known[text]

    # --- single changes -----------------------------------------------------------------------

    def _single(self) -> tuple[Edit, ...] | None:
        """Return the first single change that does it; a doubtful one if no other is found soon."""
        enough = 0
        for edits in self._singles():
            if self._doubtful is not None and len(self._known) >= enough:
                break
            # No pair is tried once a single change does it, even a doubtful one: what is left is for
            # another single one.
            share = _SINGLES_SHARE if self._doubtful is None else _PAIRS_SHARE
            if self._tries.spent >= share:
                break
            doubtful = self._is_doubtful(edits)
            if doubtful and self._doubtful is not None:
                continue
            if self._accepts(edits):
                edits = self._move_to_cause(edits)
                if self._says_nothing(edits):
                    continue
                if not doubtful:
                    return edits
                self._doubtful, enough = edits, len(self._known) + _MORE_TRIES
        return self._doubtful

    def _move_to_cause(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        """Return edits that do the same at another place, where that is likelier to be at fault: where a
        name is set, in a branch that does the same, at a statement that stands elsewhere, or on the
        other side of a launch."""
        with suppress(Spent):  # what was found is proven already
            for place, edit in enumerate(edits):
                for instead in self._elsewhere(edit):
                    others = (*edits[:place], *instead, *edits[place + 1 :])
                    if self._accepts(others):
                        edits = others
                        break
            return next(filter(self._accepts, self._behind_launch(edits)), edits)
        return edits

    def _elsewhere(self, edit: Edit) -> Iterator[tuple[Edit, ...]]:
        """Yield what may stand for an edit."""
        if isinstance(edit.target, ast.Name) and edit.new is not None:
            yield from self._at_definition(edit, edit.target, edit.new)
        if edit.target is None and isinstance(edit.new, ast.stmt):
            yield from self._at_twin(edit, edit.new)
        if edit.target is not None and edit.new is not None:
            yield from self._beside(edit)

    def _beside(self, edit: Edit) -> Iterator[tuple[Edit, ...]]:
        """Yield the call of another function after and before the statement that an edit makes it of:
        the call may be missing, and the statement right."""
        row = next((n for n in self._around(edit.target) if isinstance(n, ast.stmt)), None)
        above, old = self._program.parent(row), getattr(row, "value", None)
        if not isinstance(row, ast.Expr) or not isinstance(old, ast.Call) or above is None:
            return
        made = {
            id(row): getattr(edit.new, "value", None),
            id(old): edit.new,
            id(old.func): with_fields(old, func=edit.new),
        }.get(id(edit.target))
        if not isinstance(made, ast.Call) or callee(made) == callee(old):
            return
        field = next(f for f in BODIES if row in (getattr(above, f, None) or ()))
        at = getattr(above, field).index(row)
        for place in (at + 1, at):
            yield (insert_node(above, field, place, ast.Expr(made)),)

    def _around(self, node: ast.AST | None) -> list[ast.AST]:
        return [] if node is None else [node, *self._program.above(node)]

    def _behind_launch(self, edits: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
        """Yield, for two parameters of a kernel that change places, what the launch hands over for
        them; for a change of the grid, the axes of `tl.program_id`: where right answers have what the
        edits change, and not that."""
        if any(self._list.is_surprising(e.target) for e in edits if e.target is not None):
            return
        for other in exchange_sides(self._program, edits):
            if all(self._list.is_surprising(each.target) for each in other if each.target):
                yield other

    def _at_definition(
        self, edit: Edit, name: ast.Name, new: ast.AST
    ) -> Iterator[tuple[Edit, ...]]:
        """Yield what replaces a name, put where the name is set: what it stands for is at fault. Of
        what is put around a name, where no right answer sets it so; of a constant of the module,
        other values."""
        statement = find_definition(self._program, name)
        if statement is not None and self._replaces_name(edit):
            yield (replace_node(statement.value, new),)
        elif statement is not None and isinstance(new, ast.BinOp):
            if self._list.is_surprising(statement) and not self._list.is_surprising(name):
                yield (replace_node(statement.value, _with_value(new, name.id, statement.value)),)
        elif (constant := find_module_constant(self._program, name)) is not None:
            inside = set(map(id, ast.walk(constant)))
            values = (
                c.edits for c in self._candidates if {id(e.target) for e in c.edits} <= inside
            )
            hunks = self._answers[0].hunks if self._answers else ()
            near = ((e,) for hunk in hunks for e in hunk.edits if id(e.target) in inside)
            yield from islice(chain(near, values), _MOST_VALUES)

    def _at_twin(self, edit: Edit, new: ast.stmt) -> Iterator[tuple[Edit, ...]]:
        """Yield the condition of a new branch for that of a branch beside it that does the same; and a
        new statement in the place of the same one elsewhere in the function."""
        if isinstance(new, ast.If) and not new.orelse:
            beside = [row for row in getattr(edit.owner, edit.field) if isinstance(row, ast.If)]
            form = [*map(ast.dump, new.body)]
            twins = [row for row in beside if not row.orelse and [*map(ast.dump, row.body)] == form]
            twins.sort(key=lambda row: -self._likeness.like(row.test, new.test))
            yield from ((replace_node(row.test, new.test),) for row in twins)
            return
        around = self._around(edit.owner)
        function = next((node for node in around if isinstance(node, ast.FunctionDef)), None)
        for row in ast.walk(function) if function else ():
            if isinstance(row, _SETTINGS) and ast.dump(row) == ast.dump(new):
                yield delete_node(row), edit

    def _singles(self) -> Iterator[tuple[Edit, ...]]:
        """Yield those of the nearest right answer, then all; where accesses went wrong, those on the
        way to them before all others."""
        near = self._near_singles()
        if not self._steps:
            yield from near
        candidates = list(self._candidates)
        if self._steps:
            costs = {id(c): c.cost - less_cost(self._steps, c.edits) for c in candidates}
            candidates.sort(key=lambda candidate: costs[id(candidate)])
            yield from (c.edits for c in candidates if costs[id(c)] < 0)
            yield from (edits for edits in near if less_cost(self._steps, edits))
            yield from (c.edits for c in candidates if costs[id(c)] < 1)
            yield from near
        yield from (candidate.edits for candidate in candidates)

    @cached_property
    def _list(self) -> CandidateList:
        return CandidateList(self._program, self._answers, self._likeness)

    @cached_property
    def _candidates(self) -> list[Candidate]:
        return self._list.collect()

    def _near_singles(self) -> list[tuple[Edit, ...]]:
        if not self._answers:
            return []
        tree = self._program.tree
        known, read = readable_names(tree), loads([tree])
        hunks = self._answers[0].hunks
        whole = [edit for hunk in hunks for edit in hunk.edits]
        whole += filter(None, map(keep_targets, whole))
        single = [edit for edit in whole if reads_only(edit, known)]
        single = [edit for edit in single if not binds_only_unread((edit,), read)]
        return [(edit,) for edit in sorted(single, key=lambda edit: edit.size)[:_MOST_SINGLES]]

    def _is_doubtful(self, edits: Sequence[Edit]) -> bool:
        """Return True for a change that may hide the fault and not be it.

        It is another number or block size, a branch that is taken away or made of an `elif`, or an
        expression where a name stands: what the name stands for may be at fault. Such a change is said
        where no other one is found. A copy, more work on what is returned, and a number in place of
        what computes one are never said.
        """
        gone = {id(edit.target) for edit in edits}
        edits = [edit for edit in edits if not is_brought_along(edit)] or edits
        return all(
            _changes_number(edit)
            or _drops_branch(edit)
            or id(edit.new) in gone
            or self._sets_block(edit)
            or self._replaces_name(edit)
            or self._hides(edit)
            for edit in edits
        )

    def _hides(self, edit: Edit) -> bool:
        return (
            _copies(edit)
            or _is_answered(edit)
            or self._works_on_result(edit)
            or self._compares_early(edit)
            or discards_work(self._program, edit)
            or self._replaces_helper(edit)
        )

    def _works_on_result(self, edit: Edit) -> bool:
        """Return True if a returned name or call gets more around it, or another name is returned."""
        old, new = edit.target, edit.new
        if isinstance(old, ast.Return) and isinstance(new, ast.Return):
            old, new = old.value, new.value
        elif not isinstance(self._program.parent(old), ast.Return):
            return False
        if not isinstance(old, ast.Name | ast.Call) or new is None:
            return False
        inside = any(node is not new and ast.dump(node) == ast.dump(old) for node in ast.walk(new))
        return inside or (isinstance(old, ast.Name) and not isinstance(new, ast.Name))

    def _compares_early(self, edit: Edit) -> bool:
        """Return True if a name is set to a truth value where it was a number, and the program compares
        that name itself: the comparison may be at fault."""
        row = self._program.parent(edit.target)
        if not isinstance(edit.new, ast.Compare) or isinstance(edit.target, ast.Compare):
            return False
        if not isinstance(row, ast.Assign) or row.value is not edit.target:
            return False
        compared = (node for node in ast.walk(self._program.tree) if isinstance(node, ast.Compare))
        sides = (side for node in compared for side in (node.left, *node.comparators))
        return bool(find_targets(row) & {side.id for side in sides if isinstance(side, ast.Name)})

    def _replaces_helper(self, edit: Edit, read: Collection[str] = ()) -> bool:
        """Return True if something else is worked out where a function of the program is called, one of
        several statements: one of them may be at fault, and the call as well. Of several edits, which
        `read` these names, that is said of any function."""
        if edit.target is None or edit.new is None or isinstance(edit.target, ast.stmt):
            return False
        defined = functions(self._program.tree)
        own = {name for name, function in defined.items() if read or len(function.body) > 1}
        called = self._program.parent(edit.target)
        if isinstance(called, ast.Call) and called.func is edit.target:
            gone = {callee(called)} & own
        else:
            gone = {callee(call) for call in calls(edit.target, *own)}
        gone -= loads([edit.new]) | set(read)
        if not gone:
            return False
        inside = set(map(ast.dump, ast.walk(edit.target)))
        return not own & loads([edit.new]) and ast.dump(edit.new) not in inside

    def _replaces_name(self, edit: Edit) -> bool:
        old = edit.target
        if not isinstance(old, ast.Name) or edit.new is None or isinstance(edit.new, ast.Name):
            return False
        return old.id in self._bound and old.id not in loads([edit.new])

    def _bypasses(self, edit: Edit, read: set[str]) -> bool:
        """Return True if an edit reads no more what the program has worked out in other statements, and
        works out something of its own in its place: where those fail it does not say. `read` are the
        names that the whole change reads."""
        old, new = edit.target, edit.new
        if isinstance(old, _VALUED) and isinstance(new, _VALUED):
            old, new = old.value, new.value
        if not isinstance(old, ast.expr) or new is None or edit.size < _LEAST_WORK:
            return False
        if self._likeness.like(old, new) >= _LITTLE_IN_COMMON:
            return False
        return bool(find_worked_out(self._program, old, new) - read)

    def _sets_block(self, edit: Edit) -> bool:
        """Return True if an edit changes what a launch hands over as a compile-time constant."""
        if edit.target is None:
            return False
        for node in (edit.target, *self._program.above(edit.target)):
            call = self._program.parent(node)
            if isinstance(node, ast.keyword) and isinstance(call, ast.Call):
                return node.arg in self._constants.get(name_kernel(call), ())
        return False

    # --- more than one ------------------------------------------------------------------------

    def _pair(self) -> tuple[Edit, ...] | None:
        """Return two changes that do it together."""
        if self._answers and len(self._answers[0].hunks) <= _MOST_PAIRED:
            hunks = self._answers[0].hunks
            for pair in combinations(sorted(hunks, key=lambda hunk: hunk.weight), 2):
                edits = all_edits(closure(pair, hunks))
                if self._tries.spent >= _PAIRS_SHARE:
                    return None
                if self._accepts(edits):
                    return edits
        some = [edits for _, edits in sorted(self._partial, key=lambda found: -found[0])]
        some = some[:_MOST_PARTIAL]
        nearest = self._answers[0].hunks if self._answers else ()
        both = list(combinations(some, 2))
        both += [(a, all_edits(closure([h], nearest))) for a in some[:2] for h in nearest]
        for a, b in both:
            if self._tries.spent >= _PAIRS_SHARE:
                return None
            targets = [id(edit.target) for edit in (*a, *b) if edit.target is not None]
            if len(set(targets)) == len(targets) and self._accepts((*a, *b)):
                return (*a, *b)
        return None

    def _rest(self) -> tuple[Edit, ...] | None:
        """Return what is left of the whole difference to one of the two nearest right answers."""
        for answer in self._answers[:2]:
            if self._accepts(all_edits(answer.hunks)):
                return all_edits(self._minimise(answer.hunks))
        return None

    def _minimise(self, hunks: Sequence[Hunk]) -> list[Hunk]:
        """Take parts away for as long as the rest does it."""
        left, parts = list(hunks), 2
        while len(left) >= 2:
            size = max(1, len(left) // parts)
            shorter = next(
                (
                    rest
                    for start in range(0, len(left), size)
                    if (rest := self._without(left, left[start : start + size], hunks))
                    and self._accepts(all_edits(rest))
                ),
                None,
            )
            if shorter is not None:
                left, parts = shorter, max(parts - 1, 2)
            elif parts >= len(left):
                break
            else:
                parts = min(len(left), 2 * parts)
        return left

    @staticmethod
    def _without(left: list[Hunk], part: list[Hunk], hunks: Sequence[Hunk]) -> list[Hunk]:
        """Return `left` without a part, but with what the rest needs; [] if that is not shorter."""
        rest = closure([hunk for hunk in left if hunk not in part], hunks)
        return rest if len(rest) < len(left) else []

    def _shrink(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        """Leave out what is not needed, the largest first, and then what only that had needed. A
        statement that is put elsewhere is taken away where it stood."""
        before: tuple[Edit, ...] = ()
        while edits != before:
            before = edits
            for edit in sorted(edits, key=lambda edit: -edit.size):
                together = [edit, *(other for other in edits if _moves(edit, other))]
                rest = tuple(other for other in edits if other not in together)
                if edit in edits and rest and self._accepts(rest):
                    edits = rest
        return edits


def _binds(edit: Edit) -> set[str]:
    """Return the names that a new statement sets."""
    return stores([edit.new]) if edit.target is None and edit.new is not None else set()


def _moves(one: Edit, other: Edit) -> bool:
    """Return True if one of two edits takes a statement away and the other one puts it elsewhere."""
    gone, put = (one, other) if one.target is not None else (other, one)
    if gone.target is None or gone.new is not None or put.target is not None or put.new is None:
        return False
    return ast.dump(gone.target) == ast.dump(put.new)


def _with_value(tree: ast.AST, name: str, value: ast.expr) -> ast.AST:
    """Return a tree with a value in the places of a name."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return value if node.id == name else node

    return Put().visit(copy.deepcopy(tree))  # type: ignore[no-any-return]


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _changes_number(edit: Edit) -> bool:
    if edit.target is None or edit.new is None:
        return False
    return _is_number(edit.target) and _is_number(edit.new)


def _is_answered(edit: Edit) -> bool:
    """Return True if a number or text takes the place of what computes one."""
    return (
        isinstance(edit.target, ast.expr)
        and not isinstance(edit.target, ast.Constant)
        and isinstance(edit.new, ast.Constant)
    )


def _copies(edit: Edit) -> bool:
    """Return True if an edit adds a copy of a tensor, which hides wrong strides and shared memory."""
    before = _copies_in(edit.target) if edit.target is not None else 0
    return edit.new is not None and _copies_in(edit.new) > before


def _copies_in(tree: ast.AST) -> int:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return sum(isinstance(call, ast.Attribute) and call.attr in _COPIES for call in calls)


def _drops_branch(edit: Edit) -> bool:
    if isinstance(edit.target, ast.If) and edit.new in edit.target.body:
        return True
    return edit.new is None and isinstance(edit.target, ast.If | ast.While | ast.For)
