import torch


def quantise_affine(x, seen, low, high):
    numbers = [float(number) for number in seen.flatten()] + [0.0]
    bottom, top = min(numbers), max(numbers)
    length = top - bottom
    scale = length / (high - low) if length > 0 else 1.0
    zero = low - round(bottom / scale)
    codes = [min(max(round(float(n) / scale) + zero, low), high) for n in x.flatten()]
    both = [codes, [(code - zero) * scale for code in codes]]
    return torch.tensor(both, dtype=torch.float64).reshape(2, *x.shape)
