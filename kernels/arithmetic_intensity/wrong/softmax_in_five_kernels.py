# expect: wrong-values
import torch

RIDGE = 989 / 4.8
SMALLEST = 1024


def count(op: str, sizes: list) -> tuple[int, int]:
    """FLOPs, and numbers moved."""
    if op == "relu":
        (n,) = sizes
        return n, 2 * n
    if op == "add":
        (n,) = sizes
        return n, 3 * n
    if op == "bias":
        rows, columns = sizes
        return rows * columns, 2 * rows * columns + columns
    if op == "row_sum":
        rows, columns = sizes
        return rows * columns, rows * columns + rows
    if op == "softmax":
        rows, columns = sizes
        return 5 * rows * columns, 8 * rows * columns
    if op == "matvec":
        m, k = sizes
        return 2 * m * k, m * k + k + m
    if op in ("matmul", "naive_matmul"):
        m, n, k = sizes
        ideal, naive = m * k + k * n + m * n, m * n * (2 * k + 1)
        return 2 * m * n * k, ideal if op == "matmul" else naive
    n, steps = sizes
    return steps * n, 2 * n * (1 if op == "chain" else steps)


def place(op: str, sizes: list, itemsize: int, peak: float, bandwidth: float) -> torch.Tensor:
    """[FLOPs, bytes, side], int64; side 0: memory is the limit, 1: arithmetic is."""
    flops, numbers = count(op, sizes)
    nbytes = numbers * itemsize
    side = int(flops / nbytes >= peak / bandwidth)
    return torch.tensor([flops, nbytes, side])
