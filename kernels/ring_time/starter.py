from torch import Tensor


def ring_time(counts: Tensor, itemsize: int, alpha: int, gbit: Tensor) -> Tensor:
    """Picoseconds of each all-reduce around a ring: int64 [k]."""
    world = gbit.numel()
    # One message of the whole vector stands here. What
    # goes in a round of the ring? How many rounds are
    # there, and which link says how long one takes?
    a_byte = 8 // int(gbit[0])
    return alpha + counts * itemsize * a_byte
