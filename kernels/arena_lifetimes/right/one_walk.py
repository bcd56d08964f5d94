import torch


def lifetimes(program):
    """Walk once over the lines, with a list of the loops that are open."""
    rows, kinds, step = {}, {}, 0
    around, later = [], []
    for line in program.split("\n"):
        line = line.strip()
        if not line:
            continue
        if line == "loop":
            around.append({})
        elif line == "end":
            # What a turn has read before it was written is alive up to here.
            for name, way in around.pop().items():
                if way == "read":
                    rows[name][2] = max(rows[name][2], step - 1)
        elif "->" not in line:
            name, rest = line.split(":")
            size, _, kind = rest.strip().partition(" ")
            rows[name], kinds[name] = [int(size), None, -1], kind
        else:
            inside, results = line[line.index("(") + 1 :].split(") -> ")
            for way, part in (("read", inside), ("written", results)):
                for name in filter(None, (one.strip() for one in part.split(","))):
                    row = rows[name]
                    row[1] = step if row[1] is None else row[1]
                    row[2] = max(row[2], step)
                    for loop in around:
                        loop.setdefault(name, way)
            step += 1
    for name, kind in kinds.items():
        if kind == "input":
            rows[name][1] = 0
        if kind == "output":
            rows[name][2] = step - 1
        if kind != "weight":
            later.append(rows[name])
    return torch.tensor(later)
