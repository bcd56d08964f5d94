# expect: wrong-values
import torch

# 3 kernels become 1, and 3 tensors become 1
PREDICTED_SPEEDUP = 9.0


def chain(x):
    return torch.relu(x) * 0.5 + 1.0
