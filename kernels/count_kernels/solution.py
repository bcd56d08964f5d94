import torch

A = 1  # elementwise; a vector that broadcasts is one more load
B = 1  # both read x, and a row of 1024 belongs to one block
C = 2  # nothing in common, so nothing is saved
D = 1  # a row of 1024 belongs to one block, from its mean to the gelu
E = 2  # the product, then bias and gelu together
F = 1  # addmm of the library adds the third matrix
G = 3  # a column is split over blocks: partial sums, final sum, division
H = 3  # product, relu, product: nothing enters a library call


def launches(chain: str) -> torch.Tensor:
    """[kernel launches, library calls] of a chain of steps, int64."""
    # A library call is finished code. Nothing is fused into it or through it, so the chain falls
    # into pieces. Each piece is one kernel: relu needs its element only, and rows a row that one
    # block holds whole.
    pieces = [piece.split() for piece in chain.split("matmul")]
    # A sum of everything takes many blocks, which can wait for each other only at the end of a
    # launch. The first launch does what comes before the sum and adds up in parts, the second adds
    # the parts, the third divides and does what follows.
    kernels = sum(3 if "whole" in piece else 1 for piece in pieces if piece)
    return torch.tensor([kernels, len(pieces) - 1])
