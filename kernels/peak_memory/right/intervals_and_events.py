"""Each storage is an interval of lines; starts and ends are sorted and added up."""

import re

import torch


def peak_memory(program):
    text, _, tail = program.rpartition("return")
    rows = re.findall(r"(\w+) = (\w+)\((.*)\)(?:: (\d+))?", text)
    root, intervals = {}, {}
    for i, (name, operator, inside, size) in enumerate(rows):
        used = [root[a] for a in re.findall(r"\w+", inside)]
        if size:
            root[name] = i
            intervals[i] = [0 if operator == "input" else i, i, int(size)]
            if operator == "input":
                intervals[i][1] = len(rows)
        else:
            root[name] = used[0]
        for storage in (*used, root[name]):
            intervals[storage][1] = max(intervals[storage][1], i)
    for name in re.findall(r"\w+", tail):
        intervals[root[name]][1] = len(rows)
    events = []
    for first, end, size in intervals.values():
        events += [(first, 0, size), (end, 1, -size)]
    now = peak = 0
    final = 0
    for line, kind, size in sorted(events):
        if line == len(rows) and kind == 1:
            final += -size
        now += size
        peak = max(peak, now)
    return torch.tensor([peak, final])
