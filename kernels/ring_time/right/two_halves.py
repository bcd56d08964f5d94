from torch import Tensor


def ring_time(counts: Tensor, itemsize: int, alpha: int, gbit: Tensor) -> Tensor:
    ranks = gbit.shape[0]
    bits = ((counts - 1) // ranks + 1) * (8 * itemsize)
    each = bits * 1000 // gbit.min() + alpha * 1000
    reduce_scatter = each * (ranks - 1)
    all_gather = each * (ranks - 1)
    return reduce_scatter + all_gather
