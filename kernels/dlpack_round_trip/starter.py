import torch
import tvm


def round_trip(x: torch.Tensor) -> torch.Tensor:
    """The same numbers, after a visit to TVM."""
    # Right for tensors that TVM takes as they stand.
    # Copy the others, and refuse some.
    visitor = tvm.runtime.from_dlpack(x)
    return torch.from_dlpack(visitor)
