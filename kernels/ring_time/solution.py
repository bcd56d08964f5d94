from torch import Tensor


def ring_time(counts: Tensor, itemsize: int, alpha: int, gbit: Tensor) -> Tensor:
    """Picoseconds of each all-reduce around a ring: int64 [k]."""
    world = gbit.numel()
    # A round lasts as long as its slowest link: 8 bits of a byte, at gbit bits a nanosecond.
    a_byte = 8000 // int(gbit.min())
    # A part has whole numbers, so the largest one is rounded up.
    part = (counts + world - 1) // world * itemsize
    # Each round begins anew, so it pays the latency as well.
    return 2 * (world - 1) * (1000 * alpha + part * a_byte)
