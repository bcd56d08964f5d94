import torch

RIDGE = 0.0  # of an H200 in FP16, FLOP for each byte
SMALLEST = 0  # power of two: the product of two n x n matrices that reaches it


def place(op: str, sizes: list, itemsize: int, peak: float, bandwidth: float) -> torch.Tensor:
    """[FLOPs, bytes, side], int64; side 0: memory is the limit, 1: arithmetic is."""
    if op == "relu":
        (n,) = sizes
        flops, numbers = n, n
    else:
        flops, numbers = 0, 0
    # Correct the numbers of relu, write the other
    # nine, and find the side.
    return torch.tensor([flops, numbers * itemsize, 0])
