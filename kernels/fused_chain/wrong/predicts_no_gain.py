# expect: wrong-values
import torch

# same number of floating-point operations, so no difference
PREDICTED_SPEEDUP = 1.0


def chain(x):
    return torch.relu(x) * 0.5 + 1.0
