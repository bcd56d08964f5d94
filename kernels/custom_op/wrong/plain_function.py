# expect: wrong-graph
import numpy as np
import torch


def norm_rows(values: np.ndarray) -> np.ndarray:
    """The library's routine, [rows, columns] to [rows]. Leave it as it is."""
    return np.sqrt((values * values).sum(axis=1))


def row_norm(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(norm_rows(x.numpy()))


