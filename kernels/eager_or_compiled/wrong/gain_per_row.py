# expect: crash
import torch

N = 4096 * 4096
EAGER_BYTES = 38 * N
COMPILED_BYTES = 6 * N
PREDICTED_SPEEDUP = EAGER_BYTES / COMPILED_BYTES
LARGE_WAITS_FOR = "bytes"
SMALL_WAITS_FOR = "launches"


def chain_ops(x, gain):
    return torch.sigmoid(torch.relu(x) * gain[:, None] + 1.0).half()
