import torch
import torch.nn.functional as F

N = 4096 * 4096
EAGER_BYTES = 38 * N
COMPILED_BYTES = 6 * N
PREDICTED_SPEEDUP = 38 / 6
LARGE_WAITS_FOR = "bytes"
SMALL_WAITS_FOR = "launches"


def chain_ops(x, gain):
    # sigmoid(v) is (1 + tanh(v / 2)) / 2.
    v = torch.einsum("rc,c->rc", F.relu(x), gain) + 1.0
    out = torch.empty(x.shape, dtype=torch.float16, device=x.device)
    out.copy_(0.5 + 0.5 * torch.tanh(0.5 * v))
    return out
