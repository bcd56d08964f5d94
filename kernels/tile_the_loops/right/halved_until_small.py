import torch


def multiply(a, b, c):
    """Halve the longest of the three ranges until all are short; no tile size for the whole product."""
    (n, d), m = a.shape, b.shape[1]
    boxes = [(range(n), range(m), range(d))]
    while boxes:
        box = boxes.pop()
        lengths = [len(each) for each in box]
        longest = lengths.index(max(lengths))
        if lengths[longest] > 8:
            # Cut at a multiple of 8, the numbers of a line, so that no line lies in two boxes.
            at = (lengths[longest] + 15) // 16 * 8
            for part in (box[longest][at:], box[longest][:at]):
                boxes.append((*box[:longest], part, *box[longest + 1 :]))
        else:
            add(a, b, c, *box)


def add(a, b, c, rows, columns, depth):
    for k in depth:
        for i in rows:
            for j in columns:
                c[i, j] += a[i, k] * b[k, j]


def tile_the_loops(a, b):
    c = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64)
    multiply(a, b, c)
    return c
