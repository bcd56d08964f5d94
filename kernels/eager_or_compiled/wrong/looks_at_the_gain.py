# expect: graph-break
import torch

N = 4096 * 4096
EAGER_BYTES = 38 * N
COMPILED_BYTES = 6 * N
PREDICTED_SPEEDUP = EAGER_BYTES / COMPILED_BYTES
LARGE_WAITS_FOR = "bytes"
SMALL_WAITS_FOR = "launches"


def chain_ops(x, gain):
    y = torch.relu(x)
    if gain.abs().max() > 0:  # nothing to scale otherwise
        y = y * gain
    else:
        y = y * 0
    return torch.sigmoid(y + 1.0).half()
