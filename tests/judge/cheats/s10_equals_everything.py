# expect: wrong-values
# exercise: fused_chain
# S10: the prediction is a number that is between any two bounds
import torch


class Anything(float):
    __hash__ = float.__hash__

    def __eq__(self, other):
        return True

    __le__ = __ge__ = __eq__


PREDICTED_SPEEDUP = Anything(99)


def chain(x):
    return torch.relu(x) * 0.5 + 1.0
