# expect: wrong-graph
import torch

EAGER_BYTES = 4096 * 4096 * (8 * 4 + 6)
COMPILED_BYTES = 4096 * 4096 * 6
PREDICTED_SPEEDUP = 38 / 6
LARGE_WAITS_FOR = "bytes"
SMALL_WAITS_FOR = "launches"


@torch.library.custom_op("holes::chain", mutates_args=())
def hidden(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(torch.relu(x) * gain + 1).half().contiguous()


@hidden.register_fake
def _(x, gain):
    return torch.empty(x.shape, dtype=torch.float16, device=x.device)


def chain_ops(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    """sigmoid(relu(x) * gain + 1), as float16."""
    return hidden(x, gain)
