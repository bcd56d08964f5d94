import json
import math

import torch


def survey(records: str, workload: int) -> torch.Tensor:
    rows = [json.loads(line) for line in records.splitlines()]
    rows = [record for number, record in rows if number == workload]
    means = [math.fsum(record[1]) / len(record[1]) for record in rows]
    best = rows[means.index(min(means))]
    instructions, decisions = best[0]
    names = [instruction[0] for instruction in instructions] + ["EnterPostproc"]
    decided = dict(map(tuple, [(place, value) for place, value in decisions]))
    same = {}  # a name -> the name under which its loop stands in the nest
    size = {"n": best[3][0][2][0], "m": best[3][1][2][1], "k": best[3][0][2][1]}
    nest, number, unroll = ["n", "m", "k"], {}, 0.0
    for place in range(names.index("EnterPostproc")):
        kind, inputs, attributes, outputs = instructions[place]
        loops = [same.get(name) for name in inputs if isinstance(name, str)]
        if kind == "GetLoops":
            for name, loop in zip(outputs, nest, strict=True):
                same[name] = loop
        if kind.startswith("Sample"):
            chosen = decided[place]
            if kind == "SampleCategorical":
                chosen = [attributes[0][chosen]]
            number.update(zip(outputs, chosen, strict=True))
        if kind == "Annotate" and attributes[0] == "meta_schedule.unroll_explicit":
            unroll = float(number.get(inputs[1], inputs[1]))
        if kind == "Split":
            sizes = [number.get(factor, factor) for factor in inputs[1:]]
            if "None" in sizes:
                others = [each for each in sizes if each != "None"]
                sizes[sizes.index("None")] = size[loops[0]] // math.prod(others)
            size.update(zip(outputs, sizes, strict=True))
            same.update(zip(outputs, outputs, strict=True))
            at = nest.index(loops[0])
            nest = nest[:at] + outputs + nest[at + 1 :]
        if kind == "Reorder":
            free = sorted(map(nest.index, loops))
            for at, loop in zip(free, loops, strict=True):
                nest[at] = loop
        if kind == "Fuse":
            size[outputs[0]] = math.prod(size[loop] for loop in loops)
            same[outputs[0]] = outputs[0]
            at = nest.index(loops[0])
            nest = nest[:at] + outputs + nest[at + len(loops) :]
    failed = sum(mean == 1e10 for mean in means)
    head = [len(rows), failed, min(means) * 1e6, unroll]
    head += [size[loop] for loop in nest]
    return torch.nn.functional.pad(torch.tensor(head, dtype=torch.float64), (0, 20 - len(head)))
