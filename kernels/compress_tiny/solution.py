import torch
from torch import Tensor, nn

from tutor.judge.cases.weight_bits import (
    WIDTHS,
    matrices,
    measure_compression,
    numbers,
    round_to,
    stored_bytes,
)


@torch.no_grad()
def losses_of(net: nn.Module, seen: Tensor) -> Tensor:
    """Return what each matrix loses alone at each width, float64 [matrices, widths]."""
    usual = torch.log_softmax(net(seen).double(), -1)
    rows = []
    for w in matrices(net).values():
        kept, row = w.clone(), []
        for bits in WIDTHS:
            w.copy_(numbers(*round_to(kept, bits)))
            changed = torch.log_softmax(net(seen).double(), -1)
            # Probabilities, not the loss on the text: a loss that fell by luck
            # would be bought with bytes.
            row.append((usual.exp() * (usual - changed)).sum(-1).mean())
        w.copy_(kept)
        rows.append(torch.stack(row))
    return torch.stack(rows)


def mixed_bits(size: list, loss: list, budget: int) -> tuple:
    """The column of each matrix at the least sum of losses: fronts that grow by one matrix."""
    front = [(0, 0.0, ())]
    for sizes, losses in zip(size, loss, strict=True):
        grown = sorted(
            (taken + sizes[j], lost + losses[j], (*chosen, j))
            for taken, lost, chosen in front
            for j in range(len(sizes))
        )
        front = []
        for point in grown:
            if point[0] <= budget and (not front or point[1] < front[-1][1]):
                front.append(point)
    return front[-1][2]


def compress(net: nn.Module, seen: Tensor, budget: int) -> dict:
    """Steps, scales and bits of each matrix, within the budget."""
    whole = matrices(net)
    loss = losses_of(net, seen)
    size = [[stored_bytes(w, bits) for bits in WIDTHS] for w in whole.values()]
    columns = mixed_bits(size, loss.tolist(), budget)
    widths = [WIDTHS[column] for column in columns]
    return {
        name: (*round_to(w.detach(), bits), bits)
        for (name, w), bits in zip(whole.items(), widths, strict=True)
    }


def measured(source: str, seen: Tensor, asked: Tensor, budget: int) -> Tensor:
    """Measure on a text's network. Leave it as it is."""
    return measure_compression(compress, source, seen, asked, budget)
