import torch


def saturated(number):
    return max(-32768, min(32767, number))


def u8s8_dot(x, w, start, instruction):
    keep = saturated if instruction == "vpmaddubsw" else int
    rows, columns, out = x.tolist(), w.tolist(), start.tolist()
    for m, a in enumerate(rows):
        for n, b in enumerate(columns):
            products = [left * right for left, right in zip(a, b, strict=True)] + [0]
            for i in range(0, len(a), 2):
                out[m][n] += keep(products[i] + products[i + 1])
            out[m][n] = (out[m][n] + 2**31) % 2**32 - 2**31
    return torch.tensor(out, dtype=torch.int32)
