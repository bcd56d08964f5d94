"""Ends first, then needs: two passes over a table of records."""

import torch

from tutor.judge.cases.qdq import COLUMNS, ONE, ROWS


def place_qdq(graph):
    place = {record[0]: at for at, record in enumerate(graph)}
    out = torch.zeros(len(graph), dtype=torch.int64)
    used = [[] for _ in graph]
    for at, (_, _, reads) in enumerate(graph):
        for read in reads:
            used[place[read]].append(at)
    codes = [False] * len(graph)  # whether the value is where an int8 operator ends
    for at, (_, op, reads) in enumerate(graph):
        sources = [place[read] for read in reads]
        sum_of_codes = op == "Add" and any(codes[source] for source in sources)
        if op in {"Conv", "MatMul"} or sum_of_codes:
            relu = [other for other in used[at] if graph[other][1] == "Relu"]
            codes[relu[0] if relu and used[at] == relu[:1] else at] = True
            for source in sources:
                weight = graph[source][1] == "Weight"
                out[source] = (ROWS if op == "Conv" else COLUMNS) if weight else ONE
    out[torch.tensor(codes)] = ONE
    return out
