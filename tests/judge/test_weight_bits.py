"""What a model in few bits is measured by, for Day 56."""

import copy
import itertools
import math

import pytest
import torch

from tutor.judge.cases import int4_pass, tiny_lm
from tutor.judge.cases.weight_bits import (
    BUDGET,
    FIELDS,
    WIDTHS,
    divergence,
    equal_width,
    float_bytes,
    log_probabilities,
    matrices,
    measure_compression,
    measure_sensitivity,
    narrowed,
    numbers,
    round_to,
    seen_text,
    stored_bytes,
)

NET = """
torch.manual_seed(3)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(20, 32), nn.Linear(32, 20, bias=False)
        self.head.weight = self.table.weight
        self.one = nn.Linear(32, 32)
    def forward(self, x):
        y = self.table(x)
        return self.head(y + self.one(y).tanh() / 40) / 9
net = Net()
"""
SEEN = torch.randint(0, 20, (9, 5), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("bits", WIDTHS)
def test_rounded_numbers_are_near_and_fit_their_bits(bits):
    w = torch.randn(6, 64, generator=torch.Generator().manual_seed(bits))
    w[2], w[3, 32:] = 0, 0
    steps, scale = round_to(w, bits)
    assert steps.dtype == torch.int8
    assert scale.shape == (6, 2)
    assert scale.dtype == torch.float16
    assert int(steps.min()) >= -(2 ** (bits - 1))
    assert int(steps.max()) <= 2 ** (bits - 1) - 1
    off = (numbers(steps, scale) - w).abs().view(6, 2, 32)
    assert bool((off <= 0.51 * scale.float()[:, :, None] + 1e-3 * w.abs().max()).all())
    assert stored_bytes(w, bits) == 6 * 64 * bits / 8 + 2 * 12


def test_a_shared_matrix_stands_once_and_is_rounded_in_both_places():
    net = tiny_lm.load("draft")
    assert "embedding.weight" in matrices(net)

    tied = int4_pass.network(NET)
    assert list(matrices(tied)) == ["table.weight", "one.weight"]
    other = narrowed(tied, {"table.weight": 3})
    assert other.head.weight is other.table.weight
    assert not torch.equal(other.head.weight, tied.head.weight)


def test_a_divergence_is_that_of_its_formula():
    p, q = torch.tensor([[0.5, 0.5], [0.9, 0.1]]), torch.tensor([[0.8, 0.2], [0.9, 0.1]])
    want = (0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.2)) / 2
    assert divergence(p.log(), q.log()) == pytest.approx(want, abs=1e-6)
    assert divergence(p.log(), p.log()) == 0


def nearest(net, seen, budget):
    width = equal_width(net, budget)
    assert width == 4
    return {name: (*round_to(w.detach(), width), width) for name, w in matrices(net).items()}


def kept(net, seen, budget):
    return {
        name: (*round_to(w.detach(), bits), bits)
        for (name, w), bits in zip(matrices(net).items(), (6, 3), strict=True)
    }


def changed(answer, name, place, value):
    def compress(net, seen, budget):
        out = answer(net, seen, budget)
        parts = list(out[name])
        parts[place] = value(parts[place])
        return {**out, name: tuple(parts)}

    return compress


def without(net, seen, budget):
    return {"one.weight": kept(net, seen, budget)["one.weight"], "head": 3}


def writes(net, seen, budget):
    out = kept(net, seen, budget)
    net.table.weight.mul_(2)
    return out


SIZE = 20 * 32 * 6 // 8 + 40 + 32 * 32 * 3 // 8 + 64


@pytest.mark.parametrize(
    ("compress", "field"),
    [
        (kept, None),
        (nearest, "too far off"),
        (changed(kept, "one.weight", 1, torch.Tensor.float), "form"),
        (changed(kept, "one.weight", 0, torch.Tensor.long), "form"),
        (changed(kept, "one.weight", 2, lambda bits: 7), "form"),
        (changed(kept, "table.weight", 2, lambda bits: 4), "steps"),
        (changed(kept, "one.weight", 2, lambda bits: 8), "bytes over the budget"),
        (without, "matrices"),
        (writes, "changed"),
    ],
)
def test_each_fault_of_a_compressed_model_is_found(compress, field):
    row = dict(
        zip(FIELDS, measure_compression(compress, NET, SEEN, SEEN[1:], SIZE).tolist(), strict=True)
    )
    if field == "matrices":
        assert row["matrices"] == 1
        assert row["others"] == 1
        return
    assert row.pop("matrices") == 2
    assert {name for name, number in row.items() if number} == ({field} if field else set())


def test_a_network_that_was_left_changed_is_told():
    def find(net, seen, widths):
        return list(matrices(net)), torch.zeros(2, len(widths), dtype=torch.float64)

    def find_and_round(net, seen, widths):
        net.one.weight.copy_(net.one.weight.half())
        return find(net, seen, widths)

    with torch.no_grad():
        right = measure_sensitivity(find, NET, SEEN, (3, 4))
        wrong = measure_sensitivity(find_and_round, NET, SEEN, (3, 4))
    assert right.shape == (3, 3)
    assert right[:, 0].tolist() == [0, 1, 0]
    assert wrong[-1, 0] == 1


def test_no_equal_width_meets_the_budget_of_the_tiny_model():
    net = tiny_lm.load("target")
    sizes = {bits: sum(stored_bytes(w, bits) for w in matrices(net).values()) for bits in WIDTHS}
    norms = float_bytes(net) - 4 * sum(w.numel() for w in matrices(net).values())
    assert (BUDGET + norms) / float_bytes(net) == pytest.approx(0.17, abs=5e-5)
    assert sizes[4] < BUDGET < sizes[5]
    usual = tiny_lm.perplexity(net)
    found = tiny_lm.perplexity(narrowed(net, dict.fromkeys(matrices(net), 5)))
    assert found / usual > 1.0105


def test_a_text_that_is_seen_is_not_the_one_that_is_asked():
    seen = seen_text().flatten().tolist()
    asked = tiny_lm.windows(tiny_lm.held_out())[0].flatten().tolist()
    start = "".join(map(chr, asked))
    for at, window in itertools.product((0,), range(0, len(seen), 128)):
        assert "".join(map(chr, seen[at + window : at + window + 64])) not in start


def test_divergences_are_small_and_above_0():
    net, codes = tiny_lm.load("draft"), seen_text(2)
    usual = log_probabilities(net, codes)
    for bits in (8, 4):
        other = narrowed(copy.deepcopy(net), dict.fromkeys(matrices(net), bits))
        assert 0 < divergence(usual, log_probabilities(other, codes)) < 0.2
