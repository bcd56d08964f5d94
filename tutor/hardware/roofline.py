"""The roofline: no program is quicker than its bytes over the bandwidth or its FLOPs over the peak.

Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for multicore
architectures", CACM 52(4), 2009. Pure.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    ms: float
    bound: str  # "memory" | "compute"


def limit(nbytes: int, flops: int, bandwidth: float, peak: float) -> Limit:
    """`bandwidth` in bytes/s, `peak` in FLOP/s; either may be infinite where it is not known."""
    memory, compute = nbytes / bandwidth * 1e3, flops / peak * 1e3
    return Limit(max(memory, compute), "memory" if memory >= compute else "compute")


def intensity(nbytes: int, flops: int) -> float:
    """Arithmetic intensity in FLOP per byte."""
    return flops / nbytes
