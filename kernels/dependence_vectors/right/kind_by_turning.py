import torch


def dependence_vectors(extents, strides, write, reads):
    out = torch.zeros(len(reads), 1 + len(extents), dtype=torch.int64)
    for m, read in enumerate(reads):
        quotient, rest = (write - read) // strides, (write - read) % strides
        if rest.any() or (quotient.abs() >= extents).any() or not quotient.any():
            continue
        leading = quotient[quotient.nonzero()[0, 0]]
        out[m, 0] = 1 if leading > 0 else 2
        out[m, 1:] = quotient * leading.sign()
    return out
