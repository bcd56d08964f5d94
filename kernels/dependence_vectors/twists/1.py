import torch


def dependence_vectors(extents, strides, write, reads):
    apart = write - reads
    x = apart // strides
    meets = ((apart % strides == 0) & (x.abs() < extents)).all(1)
    places = torch.arange(x.shape[1], 0, -1)
    first = ((x != 0) * places).argmax(1, keepdim=True)
    sign = x.gather(1, first).sign() * meets[:, None]
    kind = torch.where(sign > 0, 1, torch.where(sign < 0, 2, 0))
    return torch.cat([kind, sign * x], 1)
