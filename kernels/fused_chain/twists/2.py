import torch

EAGER = [("relu", 1, 1), ("mul", 1, 1), ("add", 1, 1)]  # tensors read, tensors written
FUSED = [("all three", 1, 1)]


def moved(kernels: list[tuple[str, int, int]]) -> int:
    return sum(read + written for _, read, written in kernels)


PREDICTED_SPEEDUP = moved(EAGER) / moved(FUSED)


def chain(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x) * 0.5 + 1.0
