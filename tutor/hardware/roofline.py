"""The roofline: no program is quicker than its bytes over the bandwidth or its FLOPs over the peak.

Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for multicore
architectures", CACM 52(4), 2009. Pure.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tutor.hardware.gpus import Gpu
from tutor.hardware.measured_peaks import BANDWIDTH, MeasuredPeaks


@dataclass(frozen=True)
class Limit:
    """The least milliseconds of some work on a device, and which of the two roofs sets them."""

    ms: float
    bound: str  # "memory" | "compute"


@dataclass(frozen=True)
class Roof:
    """A device's ceilings: `bandwidth` in bytes/s, `peak` in FLOP/s of the arithmetic called `units`;
    the peak is infinite where it is not known. `source` says where they come from."""

    bandwidth: float
    peak: float
    units: str
    source: str
    measured: bool

    @property
    def ridge(self) -> float:
        """The arithmetic intensity, FLOP per byte, from which on the peak and not the memory limits."""
        return self.peak / self.bandwidth

    def at(self, intensity: float) -> float:
        """The most FLOP/s at that intensity."""
        return min(self.peak, self.bandwidth * intensity)

    def limit(self, nbytes: int, flops: int) -> Limit:
        return limit(nbytes, flops, self.bandwidth, self.peak)

    def describe(self) -> str:
        """`4.8 TB/s, 67 TFLOP/s fp32`."""
        bandwidth = f"{format_quantity(self.bandwidth)}B/s"
        if math.isinf(self.peak):
            return bandwidth
        return f"{bandwidth}, {format_quantity(self.peak)}FLOP/s {self.units}"


def roof_of_datasheet(device: Gpu, units: str) -> Roof:
    """Make the roof of a GPU from its datasheet, for the arithmetic `units`."""
    peaks = {"fp32": device.fp32, "tf32": device.tf32, "fp16": device.fp16, "bf16": device.bf16}
    peak, name = _peak(peaks, units)
    return Roof(device.bandwidth, peak, name, device.source, measured=False)


def roof_of_measured(measured: MeasuredPeaks, units: str) -> Roof | None:
    """None where no bandwidth was measured."""
    if BANDWIDTH not in measured.figures:
        return None
    peaks = {kind: figure.median for kind, figure in measured.figures.items() if kind != BANDWIDTH}
    peak, name = _peak(peaks, units)
    source = f"measured here on {measured.day}"
    return Roof(measured.figures[BANDWIDTH].median, peak, name, source, measured=True)


def _peak(peaks: Mapping[str, float], units: str) -> tuple[float, str]:
    """The fastest way to do arithmetic called `units` (see `spec.Work`), and the way's name.

    "tf32x3" splits each float32 into two TF32 numbers and does three products for one (Triton's
    `input_precision="tf32x3"`); where that is slower than the ordinary cores, these count.
    """
    fp32 = peaks.get("fp32") or math.inf
    if units == "tf32x3":
        three = peaks.get("tf32", 0.0) / 3
        return (three, units) if three > fp32 else (fp32, "fp32")
    return (peaks.get(units) or fp32), units if peaks.get(units) else "fp32"


def limit(nbytes: int, flops: int, bandwidth: float, peak: float) -> Limit:
    """`bandwidth` in bytes/s, `peak` in FLOP/s; either may be infinite where it is not known."""
    memory, compute = nbytes / bandwidth * 1e3, flops / peak * 1e3
    return Limit(max(memory, compute), "memory" if memory >= compute else "compute")


def format_quantity(value: float) -> str:
    """With an SI prefix and three figures: 805306368 -> "805 M"."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor * 0.9995:  # what rounds up to 1000 takes the next prefix
            return f"{value / factor:.3g} {prefix}"
    return f"{value:.3g} "
