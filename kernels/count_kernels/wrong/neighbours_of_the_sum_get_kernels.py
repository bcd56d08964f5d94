# expect: wrong-values
import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3


def launches(chain):
    kernels = 0
    pieces = [piece.split() for piece in chain.split("matmul")]
    for piece in pieces:
        if "whole" in piece:
            at = piece.index("whole")
            kernels += 3 + bool(piece[:at]) + bool(piece[at + 1 :])
        else:
            kernels += bool(piece)
    return torch.tensor([kernels, len(pieces) - 1])
