import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3


def launches(chain):
    kernels = library = price = 0  # price: of the piece that is open
    for word in chain.split():
        if word == "matmul":
            kernels, library, price = kernels + price, library + 1, 0
        else:
            price = max(price, 3 if word == "whole" else 1)
    return torch.tensor([kernels + price, library])
