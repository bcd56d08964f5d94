"""Compiled functions: the graphs that Dynamo captured, checked against what an exercise asks for."""

from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Reference
from tutor.judge.diagnosis.error_messages import graph_break
from tutor.judge.model.verdict import Break, Diagnosis, GraphSummary

MAX_GUARDS = 40  # failed guards that are kept
TORCH_RECOMPILE_LIMIT = 8  # torch._dynamo.config.recompile_limit as shipped, 2.11 to 2.13


def summarize_graphs(cases: Cases) -> GraphSummary | None:
    """Graphs, breaks and compilations over all cases; None where nothing was captured."""
    captured = cases.explained
    if not captured:
        return None
    return GraphSummary(
        captured.graphs,
        tuple(Break(graph_break.reason, graph_break.line) for graph_break in captured.breaks),
        recompiles=cases.repeated,
        compilations=sum(cases.compiled),
        guards=tuple(cases.guards[:MAX_GUARDS]),
    )


def check_graph(cases: Cases, reference: Reference) -> Diagnosis | None:
    """Return the first finding of: a graph break, no graph, a compilation for an input seen before,
    too many compilations, operations that the reference rejects."""
    graph = summarize_graphs(cases)
    if graph is None or cases.explained is None:
        return None
    if graph.breaks or graph.graphs > 1:
        return _graph_break(graph)
    if graph.graphs == 0:
        return Diagnosis(
            "wrong-graph",
            "Nothing was captured: the function does no tensor operation that Dynamo sees.",
        )
    if graph.recompiles:
        return Diagnosis(
            "recompiles",
            f"Called twice with the same input, it was compiled again ({graph.recompiles} times over "
            "all cases): a guard on a Python value fails that changes from call to call"
            f"{_first_guard(graph)}.",
            detail="\n".join(graph.guards),
        )
    return (
        _over_budget(cases, reference, graph)
        or _work_of_numpy(cases.explained.ops)
        or _wrong_operations(reference, cases.explained.ops)
        or _hidden_work(reference, cases.explained.ops)
    )


def _graph_break(graph: GraphSummary) -> Diagnosis:
    first = graph.breaks[0] if graph.breaks else Break("")
    breaks = max(1, len(graph.breaks))
    return Diagnosis(
        "graph-break",
        f"{breaks} break{'' if breaks == 1 else 's'}, {graph.graphs} "
        f"graph{'' if graph.graphs == 1 else 's'}. The first: "
        f"{graph_break(first.reason)}. A break returns to Python in the middle, and "
        "nothing is fused across it.",
        line=first.line,
        detail="\n\n".join(b.reason for b in graph.breaks),
    )


def _over_budget(cases: Cases, reference: Reference, graph: GraphSummary) -> Diagnosis | None:
    budget = reference.compilations
    used = sum(cases.compiled[: budget.first]) if budget else 0
    if budget is None or used <= budget.most:
        return None
    eager = max(0, used - TORCH_RECOMPILE_LIMIT)
    beyond = (
        f" torch itself stops at {TORCH_RECOMPILE_LIMIT} (`recompile_limit`) and runs what comes "
        f"after, here {eager} inputs, in eager mode."
        if eager
        else ""
    )
    return Diagnosis(
        "recompiles",
        f"Compiled {used} times for the first {budget.first} cases; {budget.most} are enough"
        f"{_first_guard(graph)}.{beyond}",
        detail="\n".join(graph.guards),
    )


def _work_of_numpy(ops: tuple[str, ...]) -> Diagnosis | None:
    """Find calls of NumPy, which Dynamo traces and which stop at a tensor of a GPU without it."""
    name = next((name for name in ops if name.startswith("numpy.")), None)
    if name is None:
        return None
    return Diagnosis(
        "wrong-graph",
        f"`{name}` does a part of the work. `torch.compile` can follow NumPy; without it a tensor on a "
        "GPU cannot become an array. Write it with operations of PyTorch.",
    )


def _wrong_operations(reference: Reference, ops: tuple[str, ...]) -> Diagnosis | None:
    sentence = reference.check_graph(ops) if reference.check_graph else None
    return Diagnosis("wrong-graph", sentence) if sentence else None


def _hidden_work(reference: Reference, ops: tuple[str, ...]) -> Diagnosis | None:
    """Find an operator or a function of the learner's own, which the compiler calls as it is."""
    hidden = (
        name for name in ops if "." in name and not name.startswith(("aten.", "prims.", "numpy."))
    )
    name = next((name for name in hidden if name not in reference.own_operators), None)
    if name is None:
        return None
    return Diagnosis(
        "wrong-graph",
        f"`{name}` does a part of the work, and the compiler does not look into it: nothing is fused "
        "into it or out of it. Write it with operations of PyTorch.",
    )


def _first_guard(graph: GraphSummary) -> str:
    return f"; the first guard that failed: `{graph.guards[0]}`" if graph.guards else ""
