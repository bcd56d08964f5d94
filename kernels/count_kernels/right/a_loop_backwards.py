import torch

A = B = D = F = 1
C = E = 2
G = H = 3


def launches(chain):
    counts, after = torch.zeros(2, dtype=torch.int64), "matmul"
    for word in reversed(chain.split()):
        counts[1] += word == "matmul"
        counts[0] += (word != "matmul" and after == "matmul") + 2 * (word == "whole")
        after = word
    return counts
