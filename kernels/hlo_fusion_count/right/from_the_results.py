import re

import torch

EXPENSIVE = {"exponential", "log", "tanh", "sqrt", "atan2"}


def hlo_fusion_count(lines, results):
    calls, one = {}, {}
    for line in lines:
        name, operation, operands = re.match(r"(\w+) = (\w+)\((.*)\)", line).groups()
        call = (operation, tuple(one.get(each, each) for each in operands.split(", ")))
        one[name] = next((other for other, same in calls.items() if same == call), name)
        calls.setdefault(one[name], call)
    results = {one[name] for name in results}

    def collect(name, found):
        """Add the names that a fusion which writes `name` computes; stop at what is written."""
        if name in calls and name not in found:
            found.add(name)
            for each in calls[name][1]:
                if each not in written or calls.get(each, "")[0] not in EXPENSIVE:
                    collect(each, found)
        return found

    # The last expensive line that two fusions compute is written; then all is looked at again.
    written = set(results)
    while True:
        fusions = {root: collect(root, set()) for root in written}
        twice = [
            name
            for name, (operation, _) in calls.items()
            if operation in EXPENSIVE and sum(name in each for each in fusions.values()) > 1
        ]
        if not twice:
            return torch.tensor([len(fusions), sum(map(len, fusions.values()))])
        written.add(twice[-1])
