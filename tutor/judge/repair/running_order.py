"""Find what a module's statements do when it is loaded, and what each needs before it."""

import ast
from collections.abc import Iterable, Iterator

from tutor.judge.repair.trees import Function, is_kernel, loads, stores


def find_needed(tree: ast.Module) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """Yield each statement of a module with the earlier ones that must run before it: those that bind
    what it reads, or what a function reads that it may call, and the last one that acts, if it may
    see that."""
    bodies = {
        each.name: loads(each.body)
        for each in tree.body
        if isinstance(each, Function | ast.ClassDef)
    }
    binders: dict[str, list[ast.stmt]] = {}
    last: list[ast.stmt] = []
    for statement in tree.body:
        read = _reach(runs_with(statement), bodies)
        before = [each for name in sorted(read) for each in binders.get(name, ())]
        if acts(statement) or _looks(statement):
            before += last
        yield statement, before
        if acts(statement):
            last = [statement]
        for name in binds_at_top(statement):
            binders.setdefault(name, []).append(statement)


def _reach(names: set[str], bodies: dict[str, set[str]]) -> set[str]:
    """Return the names, and those that are read in the functions and classes among them."""
    found, queue = set(names), list(names)
    while queue:
        new = bodies.get(queue.pop(), set()) - found
        found |= new
        queue += new
    return found


def binds_at_top(statement: ast.stmt) -> set[str]:
    """Return the names that a statement at the top level of a module binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(alias.asname or alias.name).split(".")[0] for alias in names}
    return stores([statement])


def runs_with(statement: ast.stmt) -> set[str]:
    """Return the names that are read when the statement itself runs: of a function its decorators,
    defaults and types, of a class its body too, but for that of its methods."""
    return loads(_parts(statement))


def _parts(statement: ast.AST) -> Iterable[ast.AST]:
    if isinstance(statement, Function):
        return [*statement.decorator_list, statement.args, *filter(None, [statement.returns])]
    if isinstance(statement, ast.ClassDef):
        inside = [part for each in statement.body for part in _parts(each)]
        return [*statement.decorator_list, *statement.bases, *statement.keywords, *inside]
    return [statement]


def acts(statement: ast.stmt) -> bool:
    """Return True if a statement at the top level does more than give a name to a thing: a call for
    itself, or a function that a decorator hands over. Those of a kernel only make it one."""
    if isinstance(statement, Function):
        return not is_kernel(statement) and any(map(_hands_over, statement.decorator_list))
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    return not isinstance(statement, ast.ClassDef | ast.Import | ast.ImportFrom | ast.Pass)


def _looks(statement: ast.stmt) -> bool:
    """Return True for a name that is given to what an object holds, or a call returns."""
    return isinstance(statement, ast.Assign) and any(
        isinstance(node, ast.Call | ast.Attribute) for node in ast.walk(statement.value)
    )


def _hands_over(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call | ast.Attribute) and ast.unparse(decorator) not in _PLAIN


_PLAIN = ("torch.compile", "torch.no_grad()", "torch.inference_mode()")
