import torch

N = 4096 * 4096
EAGER_BYTES = 38 * N
COMPILED_BYTES = 6 * N
PREDICTED_SPEEDUP = 38 / 6
LARGE_WAITS_FOR = "bytes"
SMALL_WAITS_FOR = "launches"


def chain_ops(x, gain):
    return x.relu().mul(gain).add(1).sigmoid().to(torch.float16)
