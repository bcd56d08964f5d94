import numpy as np
import torch


def pack_q4_0(w):
    numbers = w.detach().to(torch.float32).contiguous().numpy()
    out = np.empty((numbers.shape[0], numbers.shape[1] // 32, 18), dtype=np.uint8)
    for row, line in enumerate(numbers):
        for at, block in enumerate(line.reshape(-1, 32)):
            d = block[np.abs(block).argmax()] / np.float32(-8)
            inverse = np.float32(1) / d if d else np.float32(0)
            codes = np.minimum(np.floor(block * inverse + np.float32(8.5)), 15).astype(np.uint8)
            out[row, at, :2] = np.frombuffer(np.float16(d).tobytes(), np.uint8)
            out[row, at, 2:] = codes[:16] + 16 * codes[16:]
    return torch.from_numpy(out.reshape(len(numbers), -1))
