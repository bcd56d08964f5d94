import torch


def quantise_per_channel(w, axis, bits):
    # The channels to the front, all else into one row each, and back again.
    front = w.double().movedim(axis, 0)
    rows = front.reshape(front.shape[0], -1)
    top = torch.max(rows.abs(), dim=1).values
    scale = top / (2 ** (bits - 1) - 1)
    scale[scale == 0] = 1.0
    codes = (rows / scale[:, None]).round()
    both = torch.stack([codes, codes * scale[:, None]])
    return both.reshape(2, *front.shape).movedim(1, axis + 1 if axis >= 0 else axis)
