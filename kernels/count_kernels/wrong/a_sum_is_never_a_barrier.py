# expect: wrong-values
import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3


def launches(chain):
    pieces = [piece.split() for piece in chain.split("matmul")]
    return torch.tensor([sum(bool(piece) for piece in pieces), len(pieces) - 1])
