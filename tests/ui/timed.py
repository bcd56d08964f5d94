"""An H200's ceilings and times, given: nothing is measured where a test only looks at them."""

from tutor.hardware.measured_peaks import Figure, MeasuredPeaks
from tutor.judge.model.verdict import Roofline, Sample, Timing

H200 = "cuda: NVIDIA H200"
CEILINGS = MeasuredPeaks(
    "NVIDIA H200",
    {"bandwidth": Figure(4.3e12, 4.2e12, 4.4e12), "fp32": Figure(5e13, 4.9e13, 5.1e13)},
    "2026-11-22",
    "2.11",
)


def sample(ms: float) -> Sample:
    return Sample(ms, (ms * 0.99, ms * 1.01), 100)


def timing(ms: float, nbytes: int = 201326592, flops: int = 16777216, **more) -> Timing:
    limit = nbytes / 4.8e12 * 1e3
    roofline = Roofline(nbytes, flops, limit, limit / ms, "memory", "4.8 TB/s")
    return Timing(sample(ms), sample(0.06), sample(0.055), roofline, **more)
