import torch


def count(values, machine):
    total = torch.zeros(5, dtype=torch.int64)
    for m in values[0]:
        for n in values[1]:
            for k in values[2]:
                for w in values[3]:
                    for s in values[4]:
                        t = w * 32 <= machine[2]
                        r = m * n // (w * 32) <= machine[1] - 32 - (m * n % (w * 32) > 0)
                        b = 2 * k * (m + n) * (s - 1 + int(m >= 64)) <= machine[0]
                        total += torch.tensor([1, t, r, b, t and r and b])
    return total
