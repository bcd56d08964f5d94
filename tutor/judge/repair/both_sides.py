"""The two sides of a launch: what can be changed in the kernel can often be changed where it is
launched, and the other way round."""

import ast
import copy
from collections.abc import Iterator, Sequence

from tutor.judge.repair.edits import Edit, Program, replace_node
from tutor.judge.repair.trees import calls, functions, launches, name_kernel


def exchange_sides(program: Program, edits: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
    """Yield edits on the other side of a launch that may do the same: of two parameters that a kernel's
    statement exchanges, the arguments; of another grid, the axes of the programs."""
    changed = [(e.target, e.new) for e in edits if e.target is not None and e.new is not None]
    if changed and len(changed) == len(edits):
        yield from _arguments(program, changed)
        yield from _axes(program, [target for target, _ in changed])


def _arguments(
    program: Program, changed: Sequence[tuple[ast.AST, ast.AST]]
) -> Iterator[tuple[Edit, ...]]:
    pairs = set().union(*(_differing_names(old, new) for old, new in changed))
    around = [node for node in program.above(changed[0][0]) if isinstance(node, ast.FunctionDef)]
    if not around or len(pairs) != 2 or {(b, a) for a, b in pairs} != pairs:
        return
    for call in launches(program.tree, around[0].name):
        given = {k.arg: k.value for k in call.keywords if k.arg}
        one, other = min(pairs)
        if one in given and other in given:
            a, b = given[one], given[other]
            yield _swap(a, b)


def _differing_names(old: ast.AST, new: ast.AST) -> set[tuple[str, str]]:
    """Return the pairs of names by which two trees of one shape differ; none for other shapes."""
    mine, theirs = list(ast.walk(old)), list(ast.walk(new))
    pairs: set[tuple[str, str]] = set()
    if [*map(type, mine)] != [*map(type, theirs)]:
        return pairs
    for x, y in zip(mine, theirs, strict=True):
        if isinstance(x, ast.Name) and isinstance(y, ast.Name) and x.id != y.id:
            pairs.add((x.id, y.id))
        elif isinstance(x, ast.Constant) and isinstance(y, ast.Constant) and x.value != y.value:
            return set()
    return pairs


def _swap(one: ast.expr, other: ast.expr) -> tuple[Edit, Edit]:
    """Exchange two parts of a program; by copies, as one that holds another edit's target changes."""
    return replace_node(one, copy.deepcopy(other)), replace_node(other, copy.deepcopy(one))


def _axes(program: Program, targets: Sequence[ast.AST]) -> Iterator[tuple[Edit, ...]]:
    kernels = functions(program.tree)
    for call in launches(program.tree):
        kernel = kernels.get(name_kernel(call))
        if kernel is None or not all(_is_in_grid(program, target, call) for target in targets):
            continue
        asked = [c for c in calls(kernel, "tl.program_id") if c.args]
        axes = [c.args[0].value for c in asked if isinstance(c.args[0], ast.Constant)]
        if sorted(axes, key=str) == [0, 1]:
            one, other = (c.args[0] for c in asked)
            yield _swap(one, other)


def _is_in_grid(program: Program, target: ast.AST, launch: ast.Call) -> bool:
    assert isinstance(launch.func, ast.Subscript)
    grid = launch.func.slice
    above = [target, *program.above(target)]
    if any(node is grid for node in above):
        return True
    names = {grid.id} if isinstance(grid, ast.Name) else set()
    rows = (node for node in above if isinstance(node, ast.Assign))
    return any(isinstance(t, ast.Name) and t.id in names for row in rows for t in row.targets)
