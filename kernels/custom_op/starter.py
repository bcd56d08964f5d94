import numpy as np
import torch


def norm_rows(values: np.ndarray) -> np.ndarray:
    """The library's routine, [rows, columns] to [rows]. Leave it as it is."""
    return np.sqrt((values * values).sum(axis=1))


def row_norm(x: torch.Tensor) -> torch.Tensor:
    """The Euclidean norm of each row of x, float32 [rows, columns] to [rows]."""
    # Write the operator tutor::row_norm, its fake
    # implementation and its gradient, and call it
    # here.
    return x.new_empty(x.shape[0])
