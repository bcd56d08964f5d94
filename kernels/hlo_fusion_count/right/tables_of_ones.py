import torch

EXPENSIVE = {"exponential", "log", "tanh", "sqrt", "atan2"}


def hlo_fusion_count(lines, results):
    """A row a line, a column a fusion that it may write: 1 where that fusion computes the line."""
    numbers, seen, rows = {}, [], []
    for line in lines:
        name, call = line.split(" = ")
        operation, _, operands = call[:-1].partition("(")
        row = (operation, [numbers.get(each, each) for each in operands.split(", ")])
        if row not in rows:
            rows.append(row)
        numbers[name] = rows.index(row)
        seen.append(name)
    table = torch.zeros(len(rows), len(rows), dtype=torch.int64)
    for name in results:
        table[numbers[name], numbers[name]] = 1
    for i in range(len(rows) - 1, -1, -1):
        operation, operands = rows[i]
        if operation in EXPENSIVE and table[i].sum() > 1:
            table[i] = 0
            table[i, i] = 1
        for each in operands:
            if isinstance(each, int):
                table[each] |= table[i]
    return torch.stack([table.any(0).sum(), table.sum()])
