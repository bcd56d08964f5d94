import torch

N = 4096 * 4096
EAGER_BYTES = 38 * N
COMPILED_BYTES = 6 * N
PREDICTED_SPEEDUP = 38 / 6
LARGE_WAITS_FOR = "bytes"
SMALL_WAITS_FOR = "launches"


def chain_ops(x, gain):
    # Rows and columns exchanged, so that gain has to be one number a row.
    v = torch.relu(x.mT) * gain.unsqueeze(1) + 1.0
    return torch.sigmoid(v).mT.contiguous().half()
