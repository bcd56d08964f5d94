import numpy as np
import torch


def u8s8_dot(x, w, start, instruction):
    a, b = x.numpy().astype(np.int64), w.numpy().astype(np.int64)
    total = start.numpy().astype(np.int64)
    for at in range(0, a.shape[1], 2):
        pair = a[:, at : at + 2] @ b[:, at : at + 2].T
        if instruction == "vpmaddubsw":
            pair = np.clip(pair, -(2**15), 2**15 - 1)
        total = total + pair
    return torch.from_numpy(total.astype(np.int32))
