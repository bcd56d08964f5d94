import torch
import torch.nn.functional as F

from tutor.judge.cases import weight_bits


class Rounded:
    """A matrix that holds other numbers for a while."""

    def __init__(self, w, bits):
        self.w, self.bits = w, bits

    def __enter__(self):
        self.kept = self.w.detach().clone()
        steps, scale = weight_bits.round_to(self.kept, self.bits)
        self.w.data.copy_(weight_bits.numbers(steps, scale, self.kept.dtype))

    def __exit__(self, *error):
        self.w.data.copy_(self.kept)


def sensitivity(net, seen, widths):
    with torch.inference_mode():
        p = F.log_softmax(net(seen), -1)
        rows = []
        for name, w in weight_bits.matrices(net).items():
            found = []
            for bits in widths:
                with Rounded(w, bits):
                    q = F.log_softmax(net(seen), -1)
                found.append(F.kl_div(q, p, reduction="none", log_target=True).sum(-1).mean())
            rows.append((name, torch.stack(found)))
        at = widths.index(min(widths))
        rows.sort(key=lambda row: float(row[1][at]), reverse=True)
        losses = torch.stack([found for _, found in rows])
    return [name for name, _ in rows], losses.clone()


def measured(source, seen, widths):
    return weight_bits.measure_sensitivity(sensitivity, source, seen, widths)
