import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3
PRICE = {"relu": 1, "rows": 1, "whole": 3}


def launches(chain):
    pieces = chain.split("matmul")
    kernels = sum(max((PRICE[word] for word in piece.split()), default=0) for piece in pieces)
    return torch.tensor([kernels, len(pieces) - 1])
