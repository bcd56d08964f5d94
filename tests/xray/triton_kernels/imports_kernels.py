"""Functions whose kernels stand in the modules that it imports. One asks for a GPU when it is loaded."""

import asks_for_a_gpu
from own_backward import alone


def shifted(x):
    return alone(x) + 1


doubled = asks_for_a_gpu.launch
