"""Texts of graphs that are drawn, and what a trial of a pass finds."""

import pytest
import torch

from tutor.base import paths
from tutor.judge.cases.fx_effects import draws, writes
from tutor.judge.cases.fx_graphs import (
    changes,
    fault,
    module,
    net,
    straight_line,
    trace_text,
    try_rewrite,
)
from tutor.judge.cases.reference import load_reference

X = torch.linspace(-1.0, 1.0, 9).reshape(3, 3)
DEAD = "y = x.sin()\nx.add_(1)\nz = torch.rand_like(x)\nreturn x * 2"


def unchanged(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    return graph


def without(name: str):
    """A pass that erases the nodes of that name, if nobody reads them."""

    def rewrite(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
        for node in reversed(graph.graph.nodes):
            if node.name == name:
                graph.graph.erase_node(node)
        graph.recompile()
        return graph

    return rewrite


def verdict(rewrite, text: str) -> tuple[str, str] | None:
    return fault(try_rewrite(rewrite, text, X), "rewrite", "“it”")


def test_what_is_drawn_has_the_operations_asked_for_and_the_module_is_its_graph():
    g = torch.Generator().manual_seed(1)
    texts = [straight_line(g, 12, views=2, writes=2, draws=1) for _ in range(5)]
    assert len(set(texts)) == 5
    for text in texts:
        assert sum(writes(node) for node in trace_text(text).graph.nodes) == 2
        assert sum(draws(node) for node in trace_text(text).graph.nodes) == 1
        assert verdict(unchanged, text) is None
        assert module(text)(X.clone())[0].abs().max() < 2**12


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sin", None),
        ("add_", "a result differs"),
        ("rand_like", "the next random draw differs"),
    ],
)
def test_a_trial_sees_writes_and_draws_that_are_gone(name, said):
    found = verdict(without(name), net(DEAD))
    assert (found is None) if said is None else found is not None and said in found[1]


def test_a_trial_sees_a_constant_that_is_written_to_at_the_second_call():
    def freeze(graph):
        node = next(n for n in graph.graph.nodes if n.name == "mul")
        graph.register_buffer("frozen", graph.w * 2)
        with graph.graph.inserting_before(node):
            node.replace_all_uses_with(graph.graph.get_attr("frozen"))
        graph.graph.erase_node(node)
        graph.recompile()
        return graph

    weight = "self.w = torch.nn.Parameter(torch.ones(3, 3), requires_grad=False)"
    assert verdict(freeze, net("return self.w * 2 + x", weight)) is None
    found = verdict(freeze, net("y = self.w * 2\ny.add_(x)\nreturn y + 1", weight))
    assert found is not None
    assert "at the second call" in found[1]


def test_a_trial_sees_shared_memory_old_code_and_what_is_no_graph():
    def identity_gone(graph):
        node = next(n for n in graph.graph.nodes if n.name == "mul")
        node.replace_all_uses_with(node.args[0])
        graph.graph.erase_node(node)
        graph.recompile()
        return graph

    def not_recompiled(graph):
        graph.graph.call_function(torch.relu, tuple(graph.graph.nodes)[:1])
        return graph

    found = [
        verdict(identity_gone, net("return x * 1")),
        verdict(not_recompiled, net("return x * 1")),
        verdict(lambda graph: graph.graph, net("return x * 1")),
    ]
    told = [each[1] if each else "" for each in found]
    assert "sharing of memory" in told[0]
    assert "recompile()" in told[1] or "not in order" in told[1]
    assert "returned Graph" in told[2]


def test_a_trial_sees_results_that_share_memory_unless_callers_only_read_them():
    def last_call_gone(graph):
        last = list(graph.graph.nodes)[-2]
        last.replace_all_uses_with(last.args[0])
        graph.graph.erase_node(last)
        graph.recompile()
        return graph

    weight = "self.w = torch.nn.Parameter(torch.ones(3, 3), requires_grad=False)"
    for text, said in (
        ("y = x.sin()\nreturn y, y * 1", "between two results"),
        ("return self.w * 1", "between a result and a weight"),
    ):
        found = verdict(last_call_gone, net(text, weight))
        assert found is not None
        assert said in found[1]
        assert (
            fault(try_rewrite(last_call_gone, net(text, weight), X, only_read=True), "f", "it")
            is None
        )


@pytest.mark.parametrize("slug", ["dead_code", "common_subexpressions", "constant_folding"])
def test_no_write_and_no_draw_of_a_case_can_go_unnoticed(slug):
    """A pass that deletes one of them must change something that the judge compares."""
    known = load_reference(paths.course_root() / "kernels" / slug / "reference.py")
    made = [(case.name, case.make(torch.Generator().manual_seed(7))) for case in known.cases]
    seen = [(name, effect) for name, (text, x) in made for effect in changes(text, x)]
    assert len(seen) > 20
    unseen = {which for _, (which, differs) in seen if not differs}
    assert unseen <= {"and_"}  # `operator.and_` has the name of a write alone
    spelled = {which for _, (which, _) in seen}
    assert spelled >= {"rand_like", "randn_like", "dropout", "bernoulli", "add_"}


def test_a_trial_sees_another_module_and_what_is_no_buffer():
    def copied(graph):
        return torch.fx.GraphModule(graph, graph.graph)

    text = net("return x * 2")
    found = verdict(copied, text)
    assert found is not None
    assert "returned another GraphModule" in found[1]
    assert fault(try_rewrite(copied, text, X, in_place=False), "rewrite", "it") is None

    def kept_in(keep):
        def rewrite(graph):
            node = next(n for n in graph.graph.nodes if n.name == "mul")
            keep(graph, graph.w * 2)
            with graph.graph.inserting_before(node):
                node.replace_all_uses_with(graph.graph.create_node("get_attr", "folded"))
            graph.graph.erase_node(node)
            graph.recompile()
            return graph

        return rewrite

    weight = "self.w = torch.nn.Parameter(torch.ones(3, 3), requires_grad=False)"
    folds = net("return self.w * 2 + x", weight)
    plain = kept_in(lambda graph, value: setattr(graph, "folded", value))
    buffer = kept_in(lambda graph, value: graph.register_buffer("folded", value))
    found = verdict(plain, folds)
    assert found is not None
    assert "`folded`" in found[1]
    assert "register_buffer" in found[1]
    assert verdict(buffer, folds) is None


def test_signs_of_zero_count_and_bits_of_a_nan_do_not():
    def adds_zero(graph):
        out = next(n for n in graph.graph.nodes if n.op == "output")
        with graph.graph.inserting_before(out):
            new = graph.graph.call_function(torch.add, (out.args[0], 0.0))
        out.args = (new,)
        graph.recompile()
        return graph

    assert verdict(adds_zero, net("return x * -1")) is not None  # X has a zero: -0.0 became 0.0
    assert verdict(adds_zero, net("return (x - x) / (x - x)")) is None
