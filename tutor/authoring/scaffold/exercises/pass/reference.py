"""Trusted: it never enters the learner's process."""

from tutor.judge.cases.fx_effects import target_name
from tutor.judge.cases.fx_graphs import drawn_cases, graph_case, graph_of
from tutor.judge.spec import Rewrite

# What the pass returns and may change. docs/course-format.md has the other subjects and demands.
REWRITE = Rewrite(idempotent=True, unit="calls")


def most(program, x):
    """How many calls may be left: two fewer for each pair of signs."""
    graph = graph_of(program)
    gone, calls = set(), 0
    for node in graph.nodes:
        calls += node.op.startswith("call")
        inner = node.args[0] if target_name(node) == "neg" else None
        while inner in gone:  # it reads what is left
            inner = inner.args[0].args[0]
        if inner is not None and target_name(inner) == "neg":
            gone.add(node)
            calls -= 2 if len(inner.users) == 1 else 1
    return calls


# At least six, each named for what is special about it, with a sentence that a wrong pass is told.
CASES = (
    graph_case("two signs", "return (-(-x)).sin()", "Both go."),
    graph_case("three signs", "return (-(-(-x))).sin()", "One is left."),
    graph_case("one sign", "return (-x).sin()", "Nothing cancels it."),
    graph_case("the inner one is read", "y = -x\nreturn (-y).sin() + y", "It stays for the sum."),
    graph_case("another call between", "return (-(-x).sin()).cos()", "The sine is read in between."),
    graph_case("abs of abs", "return x.abs().abs().sin()", "That is another rule."),
    *drawn_cases(2, 2),
)
