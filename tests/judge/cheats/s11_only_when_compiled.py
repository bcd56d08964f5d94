# expect: wrong-values
# exercise: fused_chain
# S11: the right operations are there only while torch.compile looks
import torch

PREDICTED_SPEEDUP = 3.0


def chain(x):
    if torch.compiler.is_compiling():
        return torch.relu(x) * 0.5 + 1.0
    return x * 0.5 + 1.0
