# expect: wrong-graph
# exercise: fused_chain
# S12: NumPy does the work, and torch.compile follows it
import numpy as np
import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    return torch.from_numpy(np.asarray(np.maximum(x.numpy(), 0))) * 0.5 + 1.0
