from itertools import groupby

import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3


def launches(chain):
    kernels = library = 0
    for product, steps in groupby(chain.split(), key="matmul".__eq__):
        group = list(steps)
        if product:
            library += len(group)
        else:
            kernels += 3 if "whole" in group else 1
    return torch.tensor([kernels, library])
