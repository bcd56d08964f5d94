import torch

EAGER_BYTES = 0
COMPILED_BYTES = 0
PREDICTED_SPEEDUP = 0.0
LARGE_WAITS_FOR = ""  # "arithmetic", "bytes" or "launches"
SMALL_WAITS_FOR = ""


def chain_ops(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    """sigmoid(relu(x) * gain + 1), as float16."""
    # Write the rest of the chain.
    return torch.relu(x).half()
