import torch

# Eager: three kernels, each reads n elements and writes n, together 6n transfers. The product and
# the activation go to memory only to be read back by the next kernel. Compiled: one kernel reads x
# and writes the result, 2n. All of it is waiting for memory, so the times are in the same ratio.
PREDICTED_SPEEDUP = (3 * 2) / 2


def chain(x: torch.Tensor) -> torch.Tensor:
    """relu(x), times 0.5, plus 1.0."""
    # Nothing but tensor operations: no value of x decides what Python does, and nothing outside
    # changes, so one trace serves every call. torch.relu makes a new tensor; relu_ would save an
    # allocation in eager mode at the price of the caller's x, and the compiled kernel has no
    # intermediate tensor to save.
    return torch.relu(x) * 0.5 + 1.0
