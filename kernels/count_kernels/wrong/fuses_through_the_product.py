# expect: wrong-values
import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3


def launches(chain):
    words = chain.split()
    library = words.count("matmul")
    rest = [word for word in words if word != "matmul"]
    kernels = 2 * rest.count("whole") + bool(rest)
    return torch.tensor([kernels, library])
