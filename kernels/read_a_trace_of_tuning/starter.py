import json

import torch

FAILED = 1e10  # seconds that TVM writes where a trial gave no time


def survey(records: str, workload: int) -> torch.Tensor:
    """[records, failed, us of the best, its unrolling, 16 extents], float64."""
    lines = [json.loads(line) for line in records.splitlines() if line.strip()]
    own = [record for number, record in lines if number == workload]
    failed = sum(record[1] == [FAILED] for record in own)
    # Which record is the best? Then play its trace.
    mean, unroll, extents = 0.0, 0, []
    extents += [0] * (16 - len(extents))
    return torch.tensor([len(own), failed, mean, unroll, *extents], dtype=torch.float64)


def played(trace: list, arguments: list) -> tuple[int, list[int]]:
    """The unrolling that a trace annotates, and the extents of the loops around C."""
    instructions, decisions = trace
    decided = dict(decisions)
    (n, k), (_, m) = arguments[0][2], arguments[1][2]
    unroll, extents = 0, [n, m, k]
    for place, instruction in enumerate(instructions):
        kind, inputs, attributes, outputs = instruction
        decision = decided.get(place)
        # What does it do to the loops?
    return unroll, extents
