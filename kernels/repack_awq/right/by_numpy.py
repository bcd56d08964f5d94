import numpy as np
import torch


def repack_awq(words):
    given = words.numpy().astype(np.int64) & 0xFFFFFFFF
    codes = np.empty((given.shape[0], 8 * given.shape[1]), dtype=np.uint32)
    for place, output in enumerate((0, 2, 4, 6, 1, 3, 5, 7)):
        codes[:, output::8] = given // 16**place % 16
    out = np.zeros((codes.shape[0] // 8, codes.shape[1]), dtype=np.uint32)
    for i in range(8):
        out |= codes[i::8] << np.uint32(4 * i)
    return torch.from_numpy(out.view(np.int32))
