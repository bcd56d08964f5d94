"""The rule of `count_kernels` says what Inductor does: both count the same chains."""

import random

import pytest
import torch
from test_exercises import reference

from tutor.hardware.gpus import target
from tutor.xray.model.counts import of_stages
from tutor.xray.model.input_specs import Arguments, parse_input
from tutor.xray.model.stages import Stage
from tutor.xray.torch_compile.capture import capture

pytestmark = pytest.mark.slow

STEPS = {
    "relu": lambda m, w: torch.relu(m),
    "rows": lambda m, w: m / m.sum(-1, keepdim=True),
    "whole": lambda m, w: m / m.sum(),
    "matmul": lambda m, w: m @ w,
}


def chains(number: int) -> list[str]:
    """Chains of up to eight steps with at most one `whole` between two products."""
    rng, found = random.Random(13), []
    while len(found) < number:
        words = rng.choices(("relu", "relu", "rows", "whole", "matmul"), k=rng.randint(1, 8))
        if all(piece.split().count("whole") <= 1 for piece in " ".join(words).split("matmul")):
            found.append(" ".join(words))
    return found


def launched(chain: str) -> list[int]:
    def function(m, w):
        for word in chain.split():
            m = STEPS[word](m, w)
        return m

    stages = []
    matrix = parse_input("f32[1024,1024]")
    capture(function, Arguments((matrix, matrix)), target("H100"), False, stages.append)
    counts = of_stages(stage for stage in stages if isinstance(stage, Stage))
    return [int(counts["wrapper.launches"]), int(counts["wrapper.extern_calls"])]


def test_the_rule_counts_what_inductor_writes():
    rule = reference("count_kernels").reference
    for chain in chains(20):
        assert rule(chain).tolist() == launched(chain), chain
