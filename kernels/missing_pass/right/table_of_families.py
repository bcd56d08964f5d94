import re
from collections import Counter

import torch

NONE, COALESCE, LAYOUTS, LOCALITY, PIPELINE = 0, 1, 2, 3, 4
LABEL = re.compile(r"(\.L\w+):$")
OPCODE = re.compile(r"(?:@!?U?P\w+ )?([A-Z0-9]+)((?:\.\w+)*)")


def evidence(listing):
    lines = [line.strip() for line in listing.splitlines() if line.strip()]
    labels = {}
    for number, line in enumerate(lines):
        found = LABEL.match(line)
        if found:
            labels[found[1]] = number
    loops = []
    for number, line in enumerate(lines):
        jump = re.search(r"BRA.*`\((\.L\w+)\)", line)
        if jump and labels[jump[1]] < number:
            loops.append((labels[jump[1]], number))
    families, looped, width = Counter(), Counter(), 0
    for number, line in enumerate(lines):
        if LABEL.match(line):
            continue
        family, modifiers = OPCODE.match(line).groups()
        families[family] += 1
        if any(first < number < last for first, last in loops):
            looped[family] += 1
        if family in {"LDG", "LDGSTS"}:
            bits = 32
            for modifier in modifiers.split("."):
                number_in_it = re.fullmatch(r"[US]?(8|16|64|128)", modifier)
                if number_in_it:
                    bits = int(number_in_it[1])
            width = max(width, bits)
    return width, families["LDGSTS"], families["STS"], looped["SHFL"]


def missing_pass(whole, without):
    (w0, c0, s0, l0), (w1, c1, s1, l1) = evidence(whole), evidence(without)
    if w1 < w0:
        name = COALESCE
    elif c0 > 0 and c1 == 0:
        name = PIPELINE
    elif s1 > s0:
        name = LAYOUTS
    elif l1 > l0:
        name = LOCALITY
    else:
        name = NONE
    return torch.tensor([(w0, c0, s0, l0, 0), (w1, c1, s1, l1, name)], dtype=torch.int64)
