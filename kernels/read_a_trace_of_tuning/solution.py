import json
import math

import torch

FAILED = 1e10  # seconds that TVM writes where a trial gave no time
UNROLL = "meta_schedule.unroll_explicit"


def survey(records: str, workload: int) -> torch.Tensor:
    """[records, failed, us of the best, its unrolling, 16 extents], float64."""
    lines = [json.loads(line) for line in records.splitlines() if line.strip()]
    own = [record for number, record in lines if number == workload]
    ran = [record for record in own if record[1] != [FAILED]]
    # TVM ranks by the mean: one slow run among fast ones counts in full.
    best = min(ran, key=lambda record: sum(record[1]) / len(record[1]))
    trace, seconds, _, arguments = best
    unroll, extents = played(trace, arguments)
    mean = 1e6 * sum(seconds) / len(seconds)
    extents += [0] * (16 - len(extents))
    return torch.tensor([len(own), len(own) - len(ran), mean, unroll, *extents], dtype=torch.float64)


def played(trace: list, arguments: list) -> tuple[int, list[int]]:
    """The unrolling that a trace annotates, and the extents of the loops around C."""
    instructions, decisions = trace
    decided = dict(decisions)
    (n, k), (_, m) = arguments[0][2], arguments[1][2]
    # A loop is a list of one number, so that two names can mean the same loop.
    nest = [[n], [m], [k]]
    held: dict[str, object] = {}
    unroll = 0

    def value(given):
        return held[given] if isinstance(given, str) and given in held else given

    for place, (kind, inputs, attributes, outputs) in enumerate(instructions):
        if kind == "EnterPostproc":
            break
        if kind == "GetLoops":
            held.update(zip(outputs, nest, strict=True))
        elif kind == "SamplePerfectTile":
            held.update(zip(outputs, decided[place], strict=True))
        elif kind == "SampleCategorical":
            # The decision is a place among the options.
            held[outputs[0]] = attributes[0][decided[place]]
        elif kind == "Split":
            loop = held[inputs[0]]
            factors = [value(factor) for factor in inputs[1:]]
            known = math.prod(factor for factor in factors if factor != "None")
            new = [[loop[0] // known if factor == "None" else factor] for factor in factors]
            at = where(nest, loop)
            nest[at : at + 1] = new
            held.update(zip(outputs, new, strict=True))
        elif kind == "Reorder":
            wanted = [held[name] for name in inputs]
            places = sorted(where(nest, loop) for loop in wanted)
            for at, loop in zip(places, wanted, strict=True):
                nest[at] = loop
        elif kind == "Fuse":
            loops = [held[name] for name in inputs]
            fused = [math.prod(loop[0] for loop in loops)]
            at = where(nest, loops[0])
            nest[at : at + len(loops)] = [fused]
            held[outputs[0]] = fused
        elif kind == "Annotate" and attributes[0] == UNROLL:
            unroll = value(inputs[1])
    return unroll, [extent for (extent,) in nest]


def where(nest: list, loop: object) -> int:
    """The place of this very loop: another one may have the same extent."""
    return next(at for at, each in enumerate(nest) if each is loop)
