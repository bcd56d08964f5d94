import torch

SMALLEST = 1024
RIDGE = 206.0


def place(op, sizes, itemsize, peak, bandwidth):
    n = sizes[0]
    flops = torch.tensor(sizes, dtype=torch.int64).prod()
    if op in ("relu", "add"):
        numbers = n * (2 + (op == "add"))
    elif op in ("chain", "eager_chain"):
        numbers = 2 * n if op == "chain" else 2 * flops
    elif op in ("bias", "row_sum", "softmax"):
        columns = sizes[1]
        numbers = n * columns + {"bias": n * columns + columns, "row_sum": n}.get(op, n * columns)
        flops = flops * (5 if op == "softmax" else 1)
    else:
        m, k = sizes[0], sizes[-1]
        wide = sizes[1] if len(sizes) == 3 else 1
        numbers = m * k + k * wide + m * wide
        if op.startswith("naive"):
            numbers = m * wide * 2 * k + m * wide
        flops = 2 * flops
    moved = torch.as_tensor(numbers * itemsize)
    seconds = torch.stack([flops.double() / peak, moved.double() / bandwidth])
    return torch.stack([flops, moved, (seconds[0] >= seconds[1]).long()])
