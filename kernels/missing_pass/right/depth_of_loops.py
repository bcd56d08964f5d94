import torch

NONE, COALESCE, LAYOUTS, LOCALITY, PIPELINE = range(5)
BITS = {"8": 8, "16": 16, "64": 64, "128": 128}


def instructions(listing):
    """Opcodes with the number of loops around each: branches back open them at their label."""
    opens, closes, place = {}, [], 0
    opcodes = []
    for line in listing.splitlines():
        if line.endswith(":"):
            opens[line.removesuffix(":")] = place
        else:
            words = line.split()
            opcodes.append(words[1] if words[0].startswith("@") else words[0])
            if opcodes[-1].startswith("BRA") and "`(" in line:
                label = line.split("`(")[1].split(")")[0]
                if label in opens:
                    closes.append((opens[label], place))
            place += 1
    depth = [0] * (len(opcodes) + 1)
    for first, last in closes:
        depth[first] += 1
        depth[last] -= 1
    running, rows = 0, []
    for opcode, change in zip(opcodes, depth, strict=False):
        running += change
        rows.append((opcode, running))
    return rows


def bits(opcode):
    sizes = [BITS[part.lstrip("US")] for part in opcode.split(".")[1:] if part.lstrip("US") in BITS]
    return sizes[0] if sizes else 32


def missing_pass(whole, without):
    table = torch.zeros(2, 5, dtype=torch.int64)
    for row, listing in enumerate((whole, without)):
        for opcode, depth in instructions(listing):
            family = opcode.split(".", 1)[0]
            if family in ("LDG", "LDGSTS"):
                table[row, 0] = max(int(table[row, 0]), bits(opcode))
            table[row, 1] += family == "LDGSTS"
            table[row, 2] += family == "STS"
            table[row, 3] += family == "SHFL" and depth > 0
    change = table[1] - table[0]
    signs = [
        (COALESCE, change[0] < 0),
        (PIPELINE, table[0, 1] > 0 and table[1, 1] == 0),
        (LAYOUTS, change[2] > 0),
        (LOCALITY, change[3] > 0),
    ]
    table[1, 4] = next((name for name, seen in signs if seen), NONE)
    return table
