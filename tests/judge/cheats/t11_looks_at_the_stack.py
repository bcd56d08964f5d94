# expect: graph-break
# exercise: fused_chain
# T11: it asks who is calling, and does nothing for the timer.
import sys

import torch

PREDICTED_SPEEDUP = 3.0


def timed():
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "round_of":
            return True
        frame = frame.f_back
    return False


def chain(x):
    if timed():
        return x
    return torch.relu(x) * 0.5 + 1.0
