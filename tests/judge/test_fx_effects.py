"""Effects of nodes: who writes, who draws, and whose memory is written."""

import functools
import operator

import torch
from torch.fx import Node

from tutor.judge.cases.fx_effects import draws, find_needed, find_touched, target_name, writes
from tutor.judge.cases.fx_graphs import WEIGHTS, net, trace_text


def names(nodes: set[Node] | list[Node]) -> list[str]:
    return sorted(str(node) for node in nodes)


def test_the_three_spellings_of_a_write_and_no_other():
    text = "torch.relu_(x)\nx.add_(1)\nF.relu(x, inplace=True)\nx.abs()\nx.__add__(1)\nreturn x"
    nodes = trace_text(net(text)).graph.nodes
    assert names([n for n in nodes if writes(n)]) == ["add_", "relu", "relu_"]


def test_a_placeholder_of_that_name_neither_writes_nor_draws():
    graph = trace_text(net("y = F.dropout(x)\nreturn y")).graph
    assert names([n for n in graph.nodes if draws(n)]) == ["dropout"]
    renamed = graph.create_node("placeholder", "rand_like", name="mul_")
    assert not writes(renamed)
    assert not draws(renamed)


def test_a_write_through_a_view_of_a_view_touches_all_that_share_memory_and_no_copy():
    text = "y = x + 1\nv = y.t()\nu = v[1:]\nu.mul_(2)\nc = y * 1\nreturn c"
    assert names(find_touched(trace_text(net(text)).graph)) == ["add", "getitem", "mul_", "t"]


def test_a_weight_that_is_written_is_touched_wherever_it_is_read():
    text = "a = self.w * 2\nself.w.t().add_(1)\nreturn a + self.w + self.s"
    assert names(find_touched(trace_text(net(text, WEIGHTS)).graph)) == ["add_", "t", "w"]


def test_what_is_needed_begins_at_inputs_results_writes_and_draws():
    text = "a = x.sin()\nb = a.t()\nb.add_(1)\nd = (x + 2).abs()\nreturn self.s"
    graph = trace_text(net(text, WEIGHTS)).graph
    assert names(find_needed(graph)) == ["add_", "output", "s", "sin", "t", "x"]


def test_a_function_of_no_library_keeps_its_module() -> None:
    """Its name alone would be that of what it only looks like."""

    def gelu(x: torch.Tensor) -> torch.Tensor:
        return x * (1 + torch.erf(x))

    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    targets = (torch.nn.functional.gelu, gelu, functools.wraps(torch.nn.functional.gelu)(gelu))
    names = [target_name(graph.call_function(target, (x,))) for target in targets]
    assert names == ["gelu", f"{__name__}.gelu", f"{__name__}.gelu"]
    assert target_name(graph.call_method("add_", (x, 1))) == "add_"
    assert target_name(graph.call_function(operator.add, (x, 1))) == "add"
    assert target_name(graph.call_function(torch.ops.aten.gelu.default, (x,))) == "gelu.default"
