"""Live cells and questions: those that show the lowering ladder, those with a figure, and plain ones.

A cell runs in its session first. Its definitions and those of earlier cells are then lowered in a
separate process, and the stage's text is the cell's output. A figure is made of the values or the
accesses of the run.
"""

import ast
import builtins
import json
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from tutor.base.errors import CannotHere, UsageError
from tutor.base.python_trees import parse_python
from tutor.course.drawing import drawing_of
from tutor.course.model import AccessLook, Cell, Look
from tutor.course.plot import plot_of
from tutor.judge.client import CellDone, CellEvent, CellFigure, CellOutput, Judge
from tutor.judge.model.access_map import trace_of
from tutor.judge.model.events import AccessFigure, Figure
from tutor.xray.model import counts
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Failure, Request, Stage

SECONDS, SLOW_SECONDS = 10.0, 60.0  # docs/course-format.md


def run_live_cell(
    judge: Judge,
    session: str,
    cell: Cell,
    before: Sequence[str] = (),
    *,
    evaluate: tuple[str, ...] = (),
    seconds: float = 10.0,
) -> Iterator[CellEvent]:
    """Run a cell as `Judge.run_cell` does; if it requests the ladder, show that after it.

    `before`: the code of the lesson's earlier cells. `evaluate` may then name the ladder's counts
    ("loads", "ptx.global_loads"). `seconds` limits the cell, not the lowering.
    """
    if cell.xray is None:
        yield from _run_with_figure(judge, session, cell, evaluate, seconds)
        return
    done = CellDone(ok=False, error="no answer")
    for event in judge.run_cell(session, cell.code, mode=cell.mode, seconds=seconds):
        if isinstance(event, CellDone):
            done = event
        else:
            yield event
    if not done.ok:
        yield done
        return
    started = perf_counter()
    try:
        stages = look(judge, cell.xray, (*before, cell.code))
    except (UsageError, CannotHere) as error:
        yield CellDone(ok=False, error=str(error))
        return
    shown = [stage for stage in stages if stage.name == cell.xray.stage] or stages[-1:]
    for stage in shown:
        yield CellOutput(as_output(stage))
    counted = counts.of_stages(stages)
    values: dict[str, Any] = {name: counted[name] for name in evaluate if name in counted}
    others = tuple(name for name in evaluate if name not in counted)
    if others:
        for event in judge.run_cell(session, "pass", mode=cell.mode, evaluate=others):
            if isinstance(event, CellDone):
                if not event.ok:
                    yield event
                    return
                values |= event.values
    ms = done.ms + (perf_counter() - started) * 1e3
    yield CellDone(ok=True, values_json=json.dumps(values), ms=ms)


def _run_with_figure(
    judge: Judge, session: str, cell: Cell, evaluate: tuple[str, ...], seconds: float
) -> Iterator[CellEvent]:
    """Run a cell; where it has a figure, that comes before the last event."""
    plotted = (cell.plot.x, *cell.plot.ys) if cell.plot else ()
    if cell.drawing:
        plotted = (cell.drawing.name,)
    trace = cell.access is not None and not cell.access.of_exercise
    done = CellDone(ok=False, error="no answer")
    for event in judge.run_cell(
        session,
        cell.code,
        mode=cell.mode,
        evaluate=(*evaluate, *plotted),
        seconds=seconds,
        trace=trace,
    ):
        if isinstance(event, CellDone):
            done = event
        else:
            yield event
    if done.ok and (
        cell.plot or cell.access or cell.drawing
    ):  # only now: the judge takes one call at a time
        yield CellFigure(_figure(judge, cell, done))
    yield done


def _figure(judge: Judge, cell: Cell, done: CellDone) -> Figure:
    """Return the figure of a cell that has run, or one sentence where there is none."""
    try:
        if cell.plot:
            return plot_of(cell.plot, done.values)
        if cell.drawing:
            return drawing_of(cell.drawing, done.values)
        assert cell.access is not None
        if cell.access.of_exercise:
            return _map_of_solution(judge, cell.access)
        return _map_of_launches(cell.access.name, done.trace)
    except (UsageError, CannotHere) as error:
        return str(error)


def _map_of_launches(kernel: str, trace: str) -> AccessFigure:
    launches = trace_of(trace).launches if trace else ()
    chosen = tuple(launch for launch in launches if launch.kernel == kernel)
    if not chosen:
        raise UsageError(f"There is no access map: this cell did not launch {kernel}.")
    return AccessFigure("this cell's run", chosen)


def _map_of_solution(judge: Judge, wanted: AccessLook) -> AccessFigure:
    """Return the access map of an exercise's solution. Raises `UsageError` for an unknown exercise."""
    folder = judge.course_root / "kernels" / wanted.name
    if not folder.is_dir():
        raise UsageError(
            f"There is no exercise {wanted.name}, and the cell defines no such kernel."
        )
    file = folder / "solution.py"
    access = judge.access(wanted.name, file.read_text(encoding="utf-8"), str(file), wanted.case)
    return AccessFigure(f"a right answer on “{access.case}”: {access.inputs}", access.launches)


def look(judge: Judge, wanted: Look, cells: Sequence[str]) -> list[Stage]:
    """Return the stages of the definitions in `cells` that `wanted` requests.

    Raises `UsageError` with one sentence if the stage is not available.
    """
    source = definitions("\n".join(cells))
    name = wanted.name or _last_defined(cells[-1]) or _last_defined(source)
    if not name:
        raise UsageError("nothing to lower: this code defines no function")
    request = Request(
        "cell.py",
        name,
        parse_inputs(wanted.inputs),
        wanted.target,
        wanted.stage or None,
        wanted.backward,
        source,
    )
    stages: list[Stage] = []
    failures: list[Failure] = []
    for event in judge.xray(request):
        if isinstance(event, Stage):
            stages.append(event)
        elif isinstance(event, Failure):
            failures.append(event)
    names = {stage.name for stage in stages}
    if not stages or (wanted.stage and wanted.stage not in names):
        said = failures[0].sentence if failures else f"{name} has no stage {wanted.stage}"
        raise UsageError(said)
    return stages


def as_output(stage: Stage) -> str:
    """Return a stage as a cell prints it: its text, then its counts."""
    kernel = f" of {stage.kernel}" if stage.kernel else ""
    counted = ", ".join(f"{name} {value}" for name, value in stage.counts)
    line = f"\n{stage.title}{kernel}" + (f": {counted}" if counted else "")
    return f"{stage.text.rstrip()}\n{line}\n"


def definitions(source: str) -> str:
    """Return the definitions in `source` at their own lines: imports, functions, classes, constants.

    A cell also launches and prints. Lowering needs neither, and has no GPU to launch on.
    """
    lines = source.split("\n")
    kept = [""] * len(lines)
    known = set(dir(builtins))
    for node in parse_python(source).body:
        if _defines(node) and _find_needed_names(node) <= known:
            known |= _names(node)
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            for i in range(first - 1, node.end_lineno or node.lineno):
                kept[i] = lines[i]
    return "\n".join(kept)


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return node.value is not None and all(
            isinstance(part, _CONSTANT) or _is_constexpr(part) for part in ast.walk(node.value)
        )
    return isinstance(
        node,
        ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    )


def _find_needed_names(node: ast.stmt) -> set[str]:
    """Return the names that an assignment reads, those whose attributes it sets with them."""
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return set()
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _names(node: ast.stmt) -> set[str]:
    """Return the names that a statement defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in stored if isinstance(n.ctx, ast.Store)}


_CONSTANT = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.UnaryOp,
    ast.BinOp,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
)


def _is_constexpr(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("constexpr")


def _last_defined(source: str) -> str:
    names = [
        n.name for n in parse_python(source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)
    ]
    return names[-1] if names else ""
