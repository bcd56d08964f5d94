"""A repair in words: where it is, what kind of change it is, and the change itself. Place and kind hold
the learner's own names and nothing of a right answer."""

import ast
import difflib
from collections.abc import Collection, Sequence

from tutor.judge.repair.assignments import find_other_setting, find_overridden
from tutor.judge.repair.edits import Edit, Program
from tutor.judge.repair.trees import ACCESSES, COMPOUND, Unreadable, callee, line_of, read_program

_MOST_LINES = 3  # that a sentence names
_MOST_NAME = 40  # characters of the learner's text in a sentence
_MOST_CHANGE = 4_000  # characters of a change that is shown


def lines_of(edits: Sequence[Edit]) -> list[int]:
    """Return the lines that a repair changes, in order. An import or a constant of the module that a
    change brings along is not one of them, nor the new place of a statement that stands elsewhere."""
    moved = {ast.dump(e.target) for e in edits if e.target is not None and e.new is None}
    changes = [edit for edit in edits if not is_brought_along(edit)]
    changes = [edit for edit in changes if not _is_put(edit, moved)] or changes
    return sorted({_line_of(edit) for edit in changes or edits if edit.line})


def is_brought_along(edit: Edit) -> bool:
    """Return True for an import or a constant of the module that another edit needs."""
    imported = isinstance(edit.new, ast.Import | ast.ImportFrom)
    constant = isinstance(edit.new, ast.Assign) and isinstance(edit.owner, ast.Module)
    return edit.target is None and (imported or (constant and not find_overridden(edit)))


def _is_put(edit: Edit, moved: set[str]) -> bool:
    """Return True if an edit puts a statement that another edit takes away elsewhere."""
    return edit.target is None and edit.new is not None and ast.dump(edit.new) in moved


def _line_of(edit: Edit) -> int:
    """Return the line of an edit; of one that sets anew what a statement before it has set, the line of
    that statement. Of several lines that an edit replaces, that of the first part that is another one.
    """
    overridden = find_overridden(edit)
    if overridden:
        return overridden.lineno
    if edit.target is None or edit.new is None:
        return edit.line
    return _first_difference(edit.target, edit.new) or edit.line


def _first_difference(old: ast.AST, new: ast.AST) -> int:
    """Return the line of the first part of `old` that `new` does not have; where `new` has one more,
    that of the part whose place it takes, or of the last one. 0 for a part without a line."""
    here: int = getattr(old, "lineno", 0)
    if type(old) is not type(new) or here == getattr(old, "end_lineno", here):
        return here
    if isinstance(old, COMPOUND):  # its body is kept
        return here
    for mine, theirs in zip(_parts(old), _parts(new), strict=True):
        if len(mine) == len(theirs):
            for x, y in zip(mine, theirs, strict=True):
                if ast.dump(x) != ast.dump(y):
                    return _first_difference(x, y) or here
            continue
        forms = [[*map(ast.dump, part)] for part in (mine, theirs)]
        same = next((i for i, (x, y) in enumerate(zip(*forms, strict=False)) if x != y), None)
        if not mine:
            continue
        at = min(len(mine) - 1, min(map(len, forms)) if same is None else same)
        return line_of(mine[at]) or here
    return here


def _parts(node: ast.AST) -> list[list[ast.AST]]:
    """Return the nodes of each field."""
    values = [getattr(node, field) for field in node._fields]
    listed = [value if isinstance(value, list) else [value] for value in values]
    return [[each for each in part if isinstance(each, ast.AST)] for part in listed]


def main_line(edits: Sequence[Edit]) -> int | None:
    """Return the line that stands for a repair: the first one, but not where a function's parameters
    change with it."""
    inside = [edit for edit in edits if not isinstance(edit.target, ast.arg | ast.arguments)]
    return next(iter(lines_of(inside) or lines_of(edits)), None)


def describe_place(
    program: Program,
    edits: Sequence[Edit],
    right: str,
    *,
    parts: bool,
    effective: Collection[int] = (),
) -> str:
    """Return the sentence that stands in the verdict: the line, and with `parts` the part of the
    statement. `right` is what a change makes right: "all cases". Of lines that lie apart, a change of
    each `effective` one alone makes a wrong case right: if that is but one, it is named."""
    lines = lines_of(edits)
    if not lines:
        return f"A small change makes {right} right."
    if len(edits) == 1 and edits[0].target is None and not find_overridden(edits[0]):
        return f"A change {_where_inserted(edits[0])} makes {right} right."
    if len(lines) == 1:
        single = len(edits) == 1 and edits[0].target
        part = part_of(program, single) if single and parts else ""
        more = f": {part}" if part else ""
        return f"A change in line {lines[0]} makes {right} right{more}."
    if stretch := _stretch(program, edits):  # not each of its lines need be at fault
        return f"A change within lines {stretch[0]} to {stretch[1]} makes {right} right."
    if len(effective) == 1 < len(lines):
        (line,) = effective
        rest = _name_lines([other for other in lines if other != line])
        return f"A change in line {line} makes a wrong case right, and with {rest} {right}."
    return f"Changes in {_name_lines(lines)} make {right} right together."


def _name_lines(lines: Sequence[int]) -> str:
    """Return "line 3", or "lines 3, 5 and 8"."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    named = ", ".join(map(str, lines[:-1])) + f" and {lines[-1]}"
    return f"lines {named if len(lines) <= _MOST_LINES else f'{lines[0]} to {lines[-1]}'}"


def lie_apart(program: Program, edits: Sequence[Edit]) -> bool:
    """Return True if a repair changes several lines, and code that stays stands between them."""
    return len(lines_of(edits)) > 1 and _stretch(program, edits) is None


def _stretch(program: Program, edits: Sequence[Edit]) -> tuple[int, int] | None:
    """Return the first and last line of what a repair changes, where no code between them stays."""
    lines = set(lines_of(edits))
    for edit in edits:
        if edit.target is not None and edit.line in lines:
            lines |= set(range(edit.line, getattr(edit.target, "end_lineno", edit.line) + 1))
    between = set(range(min(lines), max(lines) + 1)) - lines
    code = {getattr(node, "lineno", 0) for node in ast.walk(program.tree)}
    return None if between & code else (min(lines), max(lines))


def find_reset_name(program: Program, edits: Sequence[Edit]) -> tuple[str, int] | None:
    """Return a name and the one line that sets it, where an edit sets it in another statement: lets a
    later one set it in the place of its own, and nothing reads it between the two, or sets it beside
    its own. What the name stands for is at fault."""
    for edit in edits:
        other = find_other_setting(program, edit)
        if other and len(other[1]) == 1:
            return other[0], other[1][0]
    names = [node for node in ast.walk(program.tree) if isinstance(node, ast.Name)]
    for edit in edits:
        old, new = edit.target, edit.new
        if not isinstance(old, ast.Name) or not isinstance(new, ast.Name):
            continue
        same = [name for name in names if name.id == new.id]
        lines = {name.lineno for name in same if isinstance(name.ctx, ast.Store)}
        if not isinstance(old.ctx, ast.Store) or len(lines) != 1 or min(lines) >= edit.line:
            continue
        if not any(min(lines) < name.lineno < edit.line for name in same):
            return new.id, min(lines)
    return None


def describe_kind(program: Program, edits: Sequence[Edit]) -> str:
    """Return the sentence of the first hint: what kind of change each one is."""
    return "\n".join(_kind_of(program, edit) for edit in sorted(edits, key=lambda e: e.line))


def is_constant_answer(program: Program, edits: Sequence[Edit]) -> bool:
    """Return True if the repair sets a constant of the module: where it is the answer, a word about it
    would tell it."""
    return all(edit.target is not None and _sets_constant(program, edit.target) for edit in edits)


def _sets_constant(program: Program, target: ast.AST) -> bool:
    above = [target, *program.above(target)]
    inside = any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in above)
    return not inside and any(isinstance(n, ast.Assign | ast.AnnAssign) for n in above)


# --- the place ------------------------------------------------------------------------------------


def part_of(program: Program, node: ast.AST) -> str:
    """Return the part of its statement that a node stands in: "the mask of the load"; "" for a whole
    statement."""
    while not isinstance(node, ast.stmt):
        above = program.parent(node)
        if above is None:
            return ""
        if part := _part_in(program, node, above):
            return part
        node = above
    return ""


def _part_in(program: Program, node: ast.AST, above: ast.AST) -> str:
    match above:
        case ast.keyword(arg=str(name)):
            return _keyword(program.parent(above), name)
        case ast.Call() if node in above.args:
            return _argument(above, above.args.index(node))
        case ast.Subscript() if node is above.slice and _is_called(program, above):
            return "the grid"
        case ast.AugAssign() if node is above.value:
            target = quote(above.target)
            added = isinstance(above.op, ast.Add)
            return f"what is added to {target}" if added else f"the step of {target}"
        case ast.Assign() if node is above.value:
            return f"how {quote(above.targets[0])} is computed"
        case ast.Return():
            return "what is returned"
        case ast.If() | ast.While() if node is above.test:
            return "the condition"
        case ast.FunctionDef() if isinstance(node, ast.arguments):
            return f"the parameters of {quote_text(above.name)}"
        case ast.FunctionDef() if node in above.decorator_list:
            return f"what decorates {quote_text(above.name)}"
    return ""


def _is_called(program: Program, node: ast.AST) -> bool:
    call = program.parent(node)
    return isinstance(call, ast.Call) and call.func is node


def _keyword(call: ast.AST | None, name: str) -> str:
    if not isinstance(call, ast.Call):
        return ""
    if isinstance(call.func, ast.Subscript):
        return f"what the launch hands over as {quote_text(name)}"
    said = "mask" if name == "mask" else quote_text(f"{name}=")
    return f"the {said} of the {_short(call)}" if callee(call) else f"the {said}"


def _argument(call: ast.Call, number: int) -> str:
    name = callee(call)
    if name in ACCESSES and number < 3:
        return f"the {('address', 'value', 'mask')[number]} of the {_short(call)}"
    if name == "range":
        return "the bounds of the loop"
    if name in ("tl.sum", "tl.max", "tl.min") and number == 1:
        return f"the axis of the {_short(call)}"
    if name in ("triton.cdiv", "tl.cdiv"):
        return "how many programs or steps are counted"
    if isinstance(call.func, ast.Subscript):
        return "an argument of the launch"
    return ""


def _short(call: ast.Call) -> str:
    return callee(call).split(".")[-1].replace("_", " ")


def quote(node: ast.AST) -> str:
    """Return the learner's text of a node in backticks, shortened."""
    return quote_text(ast.unparse(node))


def quote_text(text: str) -> str:
    """Return a text in backticks, in one line and shortened."""
    line = " ".join(text.split()).replace("`", "'")
    return f"`{line if len(line) <= _MOST_NAME else line[: _MOST_NAME - 1] + '…'}`"


def _where_inserted(edit: Edit) -> str:
    listed: Sequence[ast.AST] = getattr(edit.owner, edit.field)
    if isinstance(edit.owner, ast.Module) and isinstance(edit.new, ast.Import | ast.ImportFrom):
        return "at the top of the file"
    return f"{'after' if edit.index >= len(listed) else 'before'} line {edit.line}"


# --- the kind -------------------------------------------------------------------------------------


def _kind_of(program: Program, edit: Edit) -> str:
    old, new = edit.target, edit.new
    if old is None and (overridden := find_overridden(edit)):
        return f"Line {overridden.lineno}: the statement is not the right one yet."
    if old is None:
        what = {
            ast.Import: "an import",
            ast.ImportFrom: "an import",
            ast.FunctionDef: "a function",
        }.get(type(new), "a statement" if isinstance(new, ast.stmt) else "a decorator")
        where = _where_inserted(edit)
        return f"{where[0].upper()}{where[1:]}: {what} is missing."
    if new is None:
        whole = "branch" if isinstance(old, ast.If) else "statement"
        return f"Line {edit.line}: one {whole} too many."
    if isinstance(old, ast.If) and new in old.body:
        return f"Line {edit.line}: the condition is one too many."
    part = part_of(program, old) or "the statement"
    return f"Line {_line_of(edit)}: {part} {_how(old, new)}."


def _how(old: ast.AST, new: ast.AST) -> str:
    """Return in a few words how the new form differs from the old one."""
    match old, new:
        case ast.Compare(), ast.Compare() if list(map(type, old.ops)) != list(map(type, new.ops)):
            return "compares the wrong way"
        case ast.BinOp(), ast.BinOp() if _flips(old, new):
            return f"has {quote(old)} in the wrong order"
        case ast.BinOp(), ast.BinOp() if type(old.op) is not type(new.op) and _shares(old, new):
            return "combines two things by the wrong operator"
        case ast.Call(), ast.Call() if ast.dump(old.func) == ast.dump(new.func):
            return _how_called(old, new)
        case ast.Call(), ast.Call() if list(map(ast.dump, old.args)) == list(
            map(ast.dump, new.args)
        ):
            return f"calls the wrong function, {quote(old.func)}"
        case ast.Name(), ast.Name():
            return f"uses the wrong name, {quote(old)}"
        case ast.Constant(), ast.Constant():
            return f"has the wrong {_constant_kind(old)}, {quote(old)}"
        case ast.Assign(), ast.AugAssign():
            return "forgets what was there before"
        case ast.AugAssign(), ast.Assign():
            return "keeps what should be replaced"
    if _within(new, old):
        joined = isinstance(old, ast.Compare) or (
            isinstance(new, ast.BinOp) and isinstance(new.op, ast.BitAnd)
        )
        return f"lacks something at {quote(old)}" if not joined else "lacks a condition"
    if _within(old, new):
        return f"has something too much at {quote(old)}"
    if isinstance(old, ast.stmt):
        return "is not the right one yet"
    return f"is not right at {quote(old)}"


def _how_called(old: ast.Call, new: ast.Call) -> str:
    before, after = len(old.args) + len(old.keywords), len(new.args) + len(new.keywords)
    if after > before:
        given = {keyword.arg for keyword in old.keywords}
        lacks_mask = any(k.arg == "mask" and k.arg not in given for k in new.keywords)
        return (
            f"lacks a mask at {quote(old)}" if lacks_mask else f"lacks an argument at {quote(old)}"
        )
    if after < before:
        return f"has an argument too many at {quote(old)}"
    if sorted(map(ast.dump, old.args)) == sorted(map(ast.dump, new.args)):
        return f"has the arguments of {quote(old)} in the wrong order"
    if len(old.args) == 1:
        return f"has a bracket of {quote(old)} at the wrong place"
    return f"is not right at {quote(old)}"


def _constant_kind(node: ast.Constant) -> str:
    return {int: "number", float: "number", str: "text"}.get(type(node.value), "value")


def _flips(old: ast.BinOp, new: ast.BinOp) -> bool:
    same = type(old.op) is type(new.op)
    return same and (ast.dump(old.left), ast.dump(old.right)) == (
        ast.dump(new.right),
        ast.dump(new.left),
    )


def _shares(old: ast.BinOp, new: ast.BinOp) -> bool:
    return ast.dump(old.left) == ast.dump(new.left) and ast.dump(old.right) == ast.dump(new.right)


def _within(outer: ast.AST, inner: ast.AST) -> bool:
    """Return True if a part of `outer` is `inner`."""
    form = ast.dump(inner)
    return any(
        type(node) is type(inner) and ast.dump(node) == form
        for node in ast.walk(outer)
        if node is not outer
    )


# --- the change -----------------------------------------------------------------------------------


def write_change(program: Program, edits: Sequence[Edit], source: str) -> str:
    """Return the change of the learner's own text as lines with - and +, with one line around each."""
    after = program.after(edits)
    text = _splice(source, edits, after)
    if text is None:  # a part of the tree has no place in the text: both in one form
        source, text = program.after(()), after
    rows = difflib.unified_diff(source.splitlines(), text.splitlines(), n=1, lineterm="")
    shown = [row for row in rows if not row.startswith(("---", "+++", "@@"))]
    return "\n".join(shown)[:_MOST_CHANGE]


_Place = tuple[int, int]  # a row from 1, and a column in bytes


def _splice(source: str, edits: Sequence[Edit], after: str) -> str | None:
    """Return the text with the edits made in it; None if that is not the program `after` them."""
    wanted = ast.unparse(read_program(after))
    rows = source.split("\n")
    for brackets in (False, True):
        spans = [_span(edit, rows, brackets) for edit in edits]
        known = sorted((span for span in spans if span), reverse=True)
        changed = list(rows)
        for (row, column), (last, end), new in known:
            before, behind = _cut(changed[row - 1], column)[0], _cut(changed[last - 1], end)[1]
            changed[row - 1 : last] = (before + new + behind).split("\n")
        text = "\n".join(changed)
        try:
            if ast.unparse(read_program(text)) == wanted:
                return text
        except Unreadable:
            continue
    return None


def _span(edit: Edit, rows: list[str], brackets: bool) -> tuple[_Place, _Place, str] | None:
    """Return start and end of what an edit replaces, and the text that replaces it; None if the node
    has no place in the text."""
    target, new = edit.target, edit.new
    node = target
    if target is None:
        listed: Sequence[ast.AST] = getattr(edit.owner, edit.field)
        if listed:
            node = listed[min(edit.index, len(listed) - 1)]
    row, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    column, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
    if not row or not last:
        return None
    if target is not None and new is None:  # with its line
        return (row, 0), (last, len(rows[last - 1].encode())), ""
    assert new is not None
    indent = " " * column
    text = f"\n{indent}".join(ast.unparse(new).split("\n"))
    if target is not None:
        weak = isinstance(new, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda)
        return (row, column), (last, end), f"({text})" if brackets and weak else text
    if edit.index >= len(getattr(edit.owner, edit.field)):
        behind = last, len(rows[last - 1].encode())
        return behind, behind, f"\n{indent}{text}"
    return (row, 0), (row, 0), f"{indent}{text}\n"


def _cut(row: str, column: int) -> tuple[str, str]:
    raw = row.encode()
    return raw[:column].decode(errors="replace"), raw[column:].decode(errors="replace")
