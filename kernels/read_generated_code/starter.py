import torch

# The kernel with notes, with XBLOCK = 256.
PROGRAMS = 0  # how many are launched
MASKED = 0  # lanes that have no element, of all programs together
BIAS = 0  # which element of in_ptr1 is read for element 1234 of the result
BYTES = 0  # moved, if each element is read or written once


def alone(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Return what the kernel without notes computes: x is float16 [n, 8, 96], w is float32 [8]."""
    # Write it in PyTorch. What is one number a row,
    # what is one number an element?
    return torch.zeros_like(x)
