import struct

import torch


def pack_q4_0(w):
    """Each block by itself, its bytes by struct."""
    rows = []
    for line in w.float():
        parts = []
        for block in line.split(32):
            top = block[0]
            for number in block[1:]:
                if number.abs() > top.abs():
                    top = number
            d = top / -8
            inverse = 1 / d if d != 0 else torch.tensor(0.0)
            codes = [min(15, int(number * inverse + 8.5)) for number in block]
            parts.append(struct.pack("<e", float(d.half())))
            parts.append(bytes(codes[i] + 16 * codes[i + 16] for i in range(16)))
        rows.append(list(b"".join(parts)))
    return torch.tensor(rows, dtype=torch.uint8)
