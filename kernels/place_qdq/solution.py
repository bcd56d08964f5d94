import torch
from torch import Tensor

from tutor.judge.cases.qdq import COLUMNS, NONE, ONE, ROWS


def place_qdq(graph: list) -> Tensor:
    """The pair behind each record's value: int64 [records]."""
    ops = {name: op for name, op, _ in graph}
    readers: dict[str, list[str]] = {name: [] for name in ops}
    for name, _, reads in graph:
        for read in reads:
            readers[read].append(name)
    pairs: dict[str, int] = {}
    ends: set[str] = set()
    for name, op, reads in graph:
        # Products always pay. A sum pays if codes come to it anyway: it then saves a way back to float.
        wanted = op in ("Conv", "MatMul") or (op == "Add" and any(read in ends for read in reads))
        if not wanted:
            continue
        # Where somebody else reads the value before the Relu, that value has to be there, in codes.
        behind = readers[name]
        end = name
        if len(behind) == 1 and ops[behind[0]] == "Relu":
            end = behind[0]
        ends.add(end)
        pairs[end] = ONE
        for read in reads:
            pairs[read] = ONE
            if ops[read] == "Weight":
                # A scale can leave the sum only if it belongs to an output channel.
                pairs[read] = ROWS if op == "Conv" else COLUMNS
    return torch.tensor([pairs.get(name, NONE) for name, _, _ in graph])
