import torch

# 989 / 4.8. The product of two n x n matrices does 2 n^3 FLOP and moves 3 n^2 numbers of 2 bytes, so
# its intensity is n / 3. It is 206 at n = 618, and the next power of two is 1024.
RIDGE = 989 / 4.8
SMALLEST = 1024


def count(op: str, sizes: list) -> tuple[int, int]:
    """FLOPs, and numbers moved."""
    if op == "relu":
        (n,) = sizes
        return n, 2 * n  # one in, one out
    if op == "add":
        (n,) = sizes
        return n, 3 * n  # two in, one out
    if op == "bias":
        rows, columns = sizes
        # The vector is small and is read once; rows that come later find it on the chip.
        return rows * columns, 2 * rows * columns + columns
    if op == "row_sum":
        rows, columns = sizes
        return rows * columns, rows * columns + rows  # a whole row in, one number out
    if op == "softmax":
        rows, columns = sizes
        return 5 * rows * columns, 2 * rows * columns  # five steps, all of them on the chip
    if op == "matvec":
        m, k = sizes
        return 2 * m * k, m * k + k + m  # the matrix is used once: nothing to keep
    if op in ("matmul", "naive_matmul"):
        m, n, k = sizes
        ideal, naive = m * k + k * n + m * n, m * n * (2 * k + 1)
        return 2 * m * n * k, ideal if op == "matmul" else naive
    n, steps = sizes
    # In one kernel the values between two steps wait in registers. In eager mode they travel.
    return steps * n, 2 * n * (1 if op == "chain" else steps)


def place(op: str, sizes: list, itemsize: int, peak: float, bandwidth: float) -> torch.Tensor:
    """[FLOPs, bytes, side], int64; side 0: memory is the limit, 1: arithmetic is."""
    flops, numbers = count(op, sizes)
    nbytes = numbers * itemsize
    side = int(flops / nbytes >= peak / bandwidth)
    return torch.tensor([flops, nbytes, side])
