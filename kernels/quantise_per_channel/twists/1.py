import torch


def quantise_per_channel(w, axis, bits):
    limit = 2 ** (bits - 1) - 1
    codes, restored = [], []
    for part in w.double().unbind(axis):
        scale = part.abs().max().item() / limit or 1.0
        codes.append(torch.round(part / scale))
        restored.append(codes[-1] * scale)
    return torch.stack([torch.stack(codes, axis), torch.stack(restored, axis)])
