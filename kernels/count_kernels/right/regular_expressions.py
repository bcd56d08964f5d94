import re

import torch

A, B, C, D, E, F, G, H = 1, 1, 2, 1, 2, 1, 3, 3


def launches(chain):
    runs = re.findall(r"(?:\b(?:relu|rows|whole)\b ?)+", chain)
    split = sum("whole" in run for run in runs)
    return torch.tensor([len(runs) + 2 * split, len(re.findall("matmul", chain))])
