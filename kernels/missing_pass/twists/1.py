import torch

NONE, COALESCE, LAYOUTS, LOCALITY, PIPELINE = range(5)
WIDTHS = {"128": 128, "64": 64, "U16": 16, "S16": 16, "U8": 8, "S8": 8}


def evidence(listing):
    """Count in one walk. A branch back to a label makes a loop."""
    shuffles_before, places = {}, []  # of a label: how many shuffles stood before it
    looped = set()
    width = copies = stores = 0
    for line in listing.splitlines():
        if line.endswith(":"):
            shuffles_before[line[:-1]] = len(places)
            continue
        words = line.split()
        if words[0].startswith("@"):
            words = words[1:]
        family, *parts = words[0].split(".")
        if family in ("LDG", "LDGSTS"):
            width = max(width, next((WIDTHS[part] for part in parts if part in WIDTHS), 32))
        copies += family == "LDGSTS"
        stores += family == "STS"
        if family == "SHFL":
            places.append(line)
        label = words[-1].removeprefix("`(").removesuffix(")")
        if family == "BRA" and label in shuffles_before:
            looped |= set(range(shuffles_before[label], len(places)))
    return [width, copies, stores, len(looped)]


def missing_pass(whole, without):
    before, after = evidence(whole), evidence(without)
    if after[0] < before[0]:
        verdict = COALESCE
    elif before[1] and not after[1]:
        verdict = PIPELINE
    elif after[2] > before[2]:
        verdict = LAYOUTS
    else:
        verdict = LOCALITY if after[3] > before[3] else NONE
    return torch.tensor([[*before, NONE], [*after, verdict]])
