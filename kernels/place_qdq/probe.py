"""Calls the learner's function once more on a graph, and says whether the graph is as before."""

GRAPH = [
    ["x", "Input", []],
    ["w", "Weight", []],
    ["c", "Conv", ["x", "w"]],
    ["r", "Relu", ["c"]],
    ["s", "Add", ["r", "x"]],
    ["o", "Output", ["s"]],
]


def probe(module, device):
    given = [[name, op, list(reads)] for name, op, reads in GRAPH]
    numbers = module.place_qdq(given)
    return {"kept": given == GRAPH, "numbers": numbers.tolist()}
