"""Every pair of an access's words is compared: which ones share a bank?"""

import torch

PITCH = 33


def bank_conflicts(addresses):
    result = torch.zeros(addresses.shape[0], dtype=torch.int64, device=addresses.device)
    for n, access in enumerate(addresses):
        words = access.div(4, rounding_mode="floor").unique()
        same = (words[:, None] - words[None, :]) % 32 == 0
        result[n] = same.sum(1).max() - 1
    return result


def swizzle(row, column):
    return 32 * row + (31 - column ^ row)
