import torch

# Launches that you expect Inductor to make of each
# function: kernels and library calls together.
A = 0
B = 0
C = 0
D = 0
E = 0
F = 0
G = 0
H = 0


def launches(chain: str) -> torch.Tensor:
    """[kernel launches, library calls] of a chain of steps, int64."""
    words = chain.split()
    # This is eager mode: each step but `matmul` is a
    # kernel. What does fusion leave?
    library = words.count("matmul")
    return torch.tensor([len(words) - library, library])
