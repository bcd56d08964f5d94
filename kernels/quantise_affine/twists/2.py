import torch


class Affine:
    """A scale and a zero point for codes from `low` to `high`."""

    def __init__(self, seen, low, high):
        bottom, top = min(seen.min().item(), 0.0), max(seen.max().item(), 0.0)
        self.low, self.high = low, high
        self.scale = (top - bottom) / (high - low) or 1.0
        self.zero = low - round(bottom / self.scale)

    def codes(self, x):
        return (torch.round(x / self.scale) + self.zero).clamp(self.low, self.high)

    def restored(self, codes):
        return (codes - self.zero) * self.scale


def quantise_affine(x, seen, low, high):
    affine = Affine(seen.double(), low, high)
    codes = affine.codes(x.double())
    return torch.stack([codes, affine.restored(codes)])
