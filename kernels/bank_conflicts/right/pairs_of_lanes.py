"""Every pair of an access's words is compared: which ones share a bank?"""

import torch

PITCH = 17


def bank_conflicts(addresses):
    result = torch.zeros(addresses.shape[0], dtype=torch.int64, device=addresses.device)
    for n, access in enumerate(addresses):
        words = access.div(4, rounding_mode="floor").unique()
        same = (words[:, None] - words[None, :]) % 32 == 0
        result[n] = same.sum(1).max() - 1
    return result


def swizzle(row, column):
    return 16 * row + (15 - column ^ row // 2)
