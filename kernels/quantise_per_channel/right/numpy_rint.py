import numpy as np
import torch


def quantise_per_channel(w, axis, bits):
    numbers = w.double().numpy()
    others = tuple(np.delete(np.arange(w.dim()), axis))
    largest = np.max(np.abs(numbers), axis=others, keepdims=True)
    scale = np.where(largest > 0, largest, 2 ** (bits - 1) - 1) / (2 ** (bits - 1) - 1)
    codes = np.rint(numbers / scale)
    return torch.from_numpy(np.stack([codes, codes * scale]))
