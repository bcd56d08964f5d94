import torch
from torch import Tensor, nn

from tutor.judge.cases.weight_bits import (
    matrices,
    measure_sensitivity,
    numbers,
    round_to,
)


@torch.no_grad()
def sensitivity(net: nn.Module, seen: Tensor, widths: tuple) -> tuple[list[str], Tensor]:
    """Return the names, the one that loses most first, and the losses, [matrices, widths]."""
    usual = torch.log_softmax(net(seen), -1)
    names, rows = [], []
    for name, w in matrices(net).items():
        kept = w.clone()
        row = []
        for bits in widths:
            # From the numbers that it came with, each time.
            w.copy_(numbers(*round_to(kept, bits), w.dtype))
            changed = torch.log_softmax(net(seen), -1)
            loss = (usual.exp() * (usual - changed)).sum(-1).mean()
            row.append(loss.item())
        w.copy_(kept)
        names.append(name)
        rows.append(row)
    losses = torch.tensor(rows, dtype=torch.float64)
    fewest = widths.index(min(widths))
    order = torch.argsort(-losses[:, fewest], stable=True)
    return [names[place] for place in order.tolist()], losses[order]


def measured(source: str, seen: Tensor, widths: tuple) -> Tensor:
    """Measure on a text's network. Leave it as it is."""
    return measure_sensitivity(sensitivity, source, seen, widths)
