import functools
import re

import torch

EXPENSIVE = {"exponential", "log", "tanh", "sqrt", "atan2"}


def hlo_fusion_count(lines, results):
    renamed, table = {}, {}
    for line in lines:
        name, *rest = re.findall(r"\w+", line)
        call = (rest[0], *(renamed.get(each, each) for each in rest[1:]))
        renamed[name] = table.setdefault(call, name)
    program = {name: call for call, name in table.items()}
    wanted = {renamed[name] for name in results}

    @functools.cache
    def homes(name):
        """The fusions that compute a value: those of its readers, or its own."""
        readers = [other for other, call in program.items() if name in call[1:]]
        found = frozenset().union(*map(homes, readers)) | (wanted & {name})
        return frozenset({name}) if program[name][0] in EXPENSIVE and len(found) > 1 else found

    everywhere = [home for name in program for home in homes(name)]
    return torch.tensor([len(set(everywhere)), len(everywhere)])
