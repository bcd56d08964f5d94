"""Rows as sets: a band makes a set of rows, and what it reads is the union."""

import torch


def rows_read(made, kernel, stride, padding, given):
    wanted = {j * stride - padding + k for j in made for k in range(kernel)}
    inside = [row for row in wanted if 0 <= row < given]
    return set(range(sorted(inside)[0], sorted(inside)[-1] + 1))


def bands(image, layers, budget):
    rows, first_bytes = image.tolist()
    table = [tuple(row) for row in layers.tolist()]
    tall = [rows]
    for k, s, p, _, _ in table:
        tall.append((tall[-1] + 2 * p - k) // s + 1)
    answer = [0, 0, 0]
    for step in range(1, tall[-1] + 1):
        peaks, products = [], 0
        for top in range(0, tall[-1], step):
            made, out_bytes = set(range(tall[-1])[top:top + step]), 0
            for i in range(len(table) - 1, -1, -1):
                k, s, p, _, each = table[i]
                products += each * len(made)
                read = rows_read(made, k, s, p, tall[i])
                in_bytes = len(read) * (table[i - 1][3] if i else first_bytes)
                peaks.append(in_bytes + out_bytes)
                made, out_bytes = read, in_bytes
        peak = max(peaks) + tall[-1] * table[-1][3]
        if peak <= budget:
            answer = [step, peak, products]
    return torch.tensor(answer)
