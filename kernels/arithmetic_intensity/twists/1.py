import torch

RIDGE = 206
SMALLEST = 1024


def place(op, sizes, itemsize, peak, bandwidth):
    match op, sizes:
        case "relu", [n]:
            flops, read, written = n, n, n
        case "add", [n]:
            flops, read, written = n, 2 * n, n
        case "bias", [rows, columns]:
            flops, read, written = rows * columns, (rows + 1) * columns, rows * columns
        case "row_sum", [rows, columns]:
            flops, read, written = rows * columns, rows * columns, rows
        case "softmax", [rows, columns]:
            flops, read, written = 5 * rows * columns, rows * columns, rows * columns
        case "matvec", [m, k]:
            flops, read, written = 2 * m * k, (m + 1) * k, m
        case "matmul", [m, n, k]:
            flops, read, written = 2 * m * n * k, (m + n) * k, m * n
        case "naive_matmul", [m, n, k]:
            flops, read, written = 2 * m * n * k, 2 * m * n * k, m * n
        case "chain", [n, steps]:
            flops, read, written = n * steps, n, n
        case "eager_chain", [n, steps]:
            flops, read, written = n * steps, n * steps, n * steps
    moved = (read + written) * itemsize
    return torch.tensor([flops, moved, 1 if flops / moved >= peak / bandwidth else 0])
