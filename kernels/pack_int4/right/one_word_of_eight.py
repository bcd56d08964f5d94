import numpy as np
import torch


def pack_int4(w, scale):
    numbers, steps = w.double().numpy(), scale.double().numpy()
    group = numbers.shape[1] // steps.shape[1]
    column = np.arange(numbers.shape[1]) // group
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = numbers / steps[:, column]
    ratio = np.where(steps[:, column] > 0, ratio, 0)
    codes = np.minimum(np.maximum(np.rint(ratio), -7), 7) + 7
    # The bits of each code, lowest first, as packbits wants them.
    bits = (codes.astype(np.uint8)[..., None] >> np.arange(4, dtype=np.uint8)) & 1
    return torch.from_numpy(np.packbits(bits.reshape(len(numbers), -1), axis=1, bitorder="little"))
