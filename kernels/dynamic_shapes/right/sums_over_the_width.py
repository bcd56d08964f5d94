import torch

LIMITED_COMPILATIONS = 4
LIMITED_UNCOMPILED_CALLS = 18


def fn(x):
    # The width is a number or a symbol; either way it only divides.
    rows = x.flatten(0, -2)
    width = rows.size(1)
    centred = rows - rows.sum(1, keepdim=True) / width
    deviation = (torch.einsum("rc,rc->r", centred, centred) / width + 1e-5).sqrt()
    return (centred / deviation[:, None]).view(x.shape)
