# expect: wrong-values
import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3


def launches(chain):
    pieces = [piece.split() for piece in chain.split("matmul")]
    kernels = sum(3 if "whole" in piece else 1 for piece in pieces)
    return torch.tensor([kernels, len(pieces) - 1])
