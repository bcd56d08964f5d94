import torch

N = 4096 * 4096
KERNELS = 5
READ, WRITTEN = 4, 4

# With gain, once a kernel that reads it.
EAGER_BYTES = (KERNELS * (READ + WRITTEN) - 2) * N + 4 * 4096
COMPILED_BYTES = (READ + 2) * N + 4 * 4096
PREDICTED_SPEEDUP = 6.33
LARGE_WAITS_FOR = "bytes"
SMALL_WAITS_FOR = "launches"


def chain_ops(x, gain):
    v = torch.addcmul(torch.ones_like(gain), torch.clamp_min(x, 0.0), gain)
    return torch.reciprocal(1.0 + torch.exp(-v)).half()
