import torch

from tutor.judge.cases.qdq import COLUMNS, NONE, ONE, ROWS, end_of, fuse


def place_qdq(graph):
    ops = {name: op for name, op, _ in graph}
    asked, ends = [], set()
    for name, op, reads in graph:
        if op in ("Conv", "MatMul") or (op == "Add" and ends & set(reads)):
            asked.append(name)
            ends.add(end_of(graph, {}, name))
    pairs = {}
    for name, op, reads in graph:
        if op in ("Conv", "MatMul", "Add"):
            pairs.update(dict.fromkeys(reads, ONE))
            pairs[end_of(graph, {}, name)] = ONE
            if len(reads) == 2 and ops[reads[1]] == "Weight":
                pairs[reads[1]] = ROWS if op == "Conv" else COLUMNS

    def works(tried):
        said = fuse(graph, tried)
        relus = [said[end] for end in ends if ops[end] == "Relu"]
        return all(said[name] == "int8" for name in asked) and set(relus) <= {"fused"}

    for name in list(pairs):
        without = {key: value for key, value in pairs.items() if key != name}
        if works(without):
            pairs = without
    return torch.tensor([pairs.get(name, NONE) for name, _, _ in graph])
