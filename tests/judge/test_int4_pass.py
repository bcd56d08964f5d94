"""What builds of the project "pass" are measured by."""

import copy

import pytest
import torch
from torch import nn

from tutor.judge.cases import int4_pass, tiny_lm
from tutor.judge.cases.int4_pass import (
    Int4Linear,
    UnpackedLinear,
    ablate,
    eligible,
    expect,
    expect_ablation,
    measure,
    metered,
    network,
    pack,
    round_graph,
    trace_network,
    unpack,
)

NET = """
torch.manual_seed(3)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(20, 32), nn.Linear(32, 20, bias=False)
        self.head.weight = self.table.weight
        self.one, self.odd = nn.Linear(32, 40), nn.Linear(40, 32)
    def forward(self, x):
        y = self.table(x)
        return self.head(self.odd(self.one(self.odd(self.one(y)))))
net = Net()
"""
SEEN = torch.randint(0, 20, (9, 5), generator=torch.Generator().manual_seed(1))


def nearest(graph, seen, **switches):
    return round_graph(graph)


def test_the_tiny_model_is_traced_without_a_change():
    net, codes = tiny_lm.load("target"), int4_pass.text(2)
    graph = trace_network(net)
    assert torch.equal(graph(codes), net(codes))
    assert len(eligible(graph)) == 21
    assert set(eligible(graph).values()) == {1}


def test_codes_come_back_as_q4_0_keeps_them():
    codes = torch.arange(64).remainder(16).flip(0).view(1, 64).repeat(2, 1)
    packed, scale = pack(codes), torch.tensor([[1.0, 2.0], [0.5, 0.0]]).half()
    assert packed.shape == (2, 32)
    assert int(packed[0, 0]) == int(codes[0, 0]) + 16 * int(codes[0, 16])
    each = scale.float().repeat_interleave(32, 1)
    assert torch.equal(unpack(packed, scale), (codes.float() - 8) * each)


def test_a_shared_weight_and_odd_inputs_stay():
    assert eligible(trace_network(network(NET))) == {"one": 2}


def test_kernels_are_counted():
    codes = torch.randint(0, 16, (8, 32))
    parts = pack(codes), torch.ones(8, 1).half()
    x = torch.randn(3, 32)
    with metered() as one:
        y = Int4Linear(*parts)(x)
    with metered() as two:
        z = UnpackedLinear(*parts)(x)
    assert torch.equal(y, z)
    assert (one.kernels, one.int4_kernels, one.flop) == (1, 1, 2 * 3 * 32 * 8)
    assert one.moved == 8 * 16 + 8 * 2 + 4 * (3 * 32 + 3 * 8)
    assert (two.kernels, two.int4_kernels) == (2, 0)
    assert two.moved == one.moved + 2 * 4 * 8 * 32


def test_rounding_to_nearest_is_told_from_feedback_alone():
    found, want = measure(nearest, NET, SEEN), expect(NET)
    assert found[-1] == 1
    assert torch.equal(found[:-1], want[:-1])


def writes(graph, seen, **switches):
    graph.one.weight.mul_(1.5)
    return round_graph(graph)


def rounds_the_rest(graph, seen, **switches):
    out = round_graph(graph)
    out.odd.weight.copy_(out.odd.weight.half())
    return out


def forgets_the_bias(graph, seen, **switches):
    out = round_graph(graph)
    out.one.bias = None
    return out


def keeps_the_weight(graph, seen, **switches):
    out = round_graph(graph)
    out.one.weight = nn.Parameter(graph.one.weight.clone())
    return out


def hides_the_weight(graph, seen, **switches):
    out = round_graph(graph)
    out.one.spare = [graph.one.weight.detach().clone()]
    return out


def computes_in_float(graph, seen, **switches):
    out = round_graph(graph)
    layer, kept = out.one, graph.one
    count = layer.forward

    def forward(x):
        count(x)
        return kept(x)

    layer.forward = forward
    return out


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (writes, "changed"),
        (rounds_the_rest, "rounded"),
        (forgets_the_bias, "wrong"),
        (computes_in_float, "wrong"),
        (keeps_the_weight, "float bytes"),
        (hides_the_weight, "float bytes"),
    ],
)
def test_what_a_wrong_pass_does_is_seen(build, field):
    found, want = measure(build, NET, SEEN), expect(NET)
    place = int4_pass.FIELDS.index(field)
    assert found[place] != want[place]


def test_a_module_that_is_no_graph_is_refused():
    with pytest.raises(TypeError, match="Sequential"):
        measure(lambda graph, seen: nn.Sequential(copy.deepcopy(graph)), NET, SEEN)


def test_switches_that_change_nothing_are_seen():
    found, want = ablate(nearest, NET, SEEN), expect_ablation(NET)
    assert found.shape == want.shape == (5, 10)
    assert torch.equal(found[2, 2:], want[2, 2:])  # without feedback this is what is asked
    kernel = found[3]
    assert kernel[0] == 2
    assert want[3, 0] == 0
    assert want[3, 1] == 4


def test_with_feedback_off_the_pass_has_seen_nothing():
    given = []

    def build(graph, seen, groups, feedback, kernel):
        given.append((feedback, seen is None))
        return round_graph(graph)

    ablate(build, NET, SEEN)
    assert {(feedback, none) for feedback, none in given} == {(True, False), (False, True)}


def test_the_report_has_the_names_of_the_plan():
    found = int4_pass.report(nearest)
    assert found["int4 bytes"] == 152_064
    assert found["kernels a forward"] == 21
    assert found["perplexity"] == pytest.approx(3.339, abs=0.01)
