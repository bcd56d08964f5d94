import torch
from torch import Tensor, nn

from tutor.judge.cases.weight_bits import (
    matrices,
    measure_sensitivity,
    numbers,
    round_to,
)


@torch.no_grad()
def sensitivity(
    net: nn.Module, seen: Tensor, widths: tuple
) -> tuple[list[str], Tensor]:
    """Return names, the largest loss first, and losses."""
    names, rows = [], []
    for name, w in matrices(net).items():
        row = []
        for bits in widths:
            # So far: the error of the weights. What
            # the model makes of it is not measured.
            rounded = numbers(*round_to(w, bits), w.dtype)
            row.append((rounded - w).square().mean().item())
        names.append(name)
        rows.append(row)
    return names, torch.tensor(rows, dtype=torch.float64)


def measured(source: str, seen: Tensor, widths: tuple) -> Tensor:
    """Measure on a text's network. Leave it as it is."""
    return measure_sensitivity(sensitivity, source, seen, widths)
