"""The limits of a device, and the check that a time does not lie below them."""

import math

import torch

from tutor.base.number_text import tell_apart
from tutor.hardware import gpus, measured_peaks, roofline
from tutor.hardware.roofline import Roof
from tutor.judge.model.verdict import Roofline, Sample
from tutor.judge.sampling import samples
from tutor.judge.spec import Work

# Tolerance of a time below the limit. A datasheet's peak is never reached, so this is for errors of
# measurement. The measured copy is only one way to use a memory: reading alone is faster (a store
# first reads the line that it writes to).
_OF_DATASHEET, _OF_COPY = 1.02, 2.0
_LARGE = 1 << 28  # bytes: more than any cache holds


class DeviceRoofs:
    """The roofs of `device` ("cuda" or "cpu") over an exercise's work."""

    def __init__(self, device: str, work: Work) -> None:
        self.work = work
        self._device = device
        known = gpus.find(torch.cuda.get_device_name(0)) if device == "cuda" else None
        if known:
            self.floor = roofline.roof_of_datasheet(known, work.units)
        else:
            self.floor = self._measured_floor()
        name = torch.cuda.get_device_name(0) if device == "cuda" else measured_peaks.processor()
        measured = measured_peaks.read_peaks().get(name)
        self.seen = roofline.roof_of_measured(measured, work.units) if measured else None

    def _measured_floor(self) -> Roof:
        bandwidth = _copy_bandwidth(self._device, self.work.bytes)
        said = "measured just now by copying"
        return Roof(bandwidth, math.inf, self.work.units, said, measured=True)

    def roofline(self, learner: Sample) -> Roofline:
        least = self.floor.limit(self.work.bytes, self.work.flops)
        seen = self.seen.limit(self.work.bytes, self.work.flops) if self.seen else None
        return Roofline(
            self.work.bytes,
            self.work.flops,
            least.ms,
            least.ms / learner.median_ms if learner.median_ms > 0 else math.inf,
            least.bound,
            f"{self.floor.describe()}: {self.floor.source}",
            self.floor.units,
            seen.ms if seen else None,
            f"{self.seen.describe()}: {self.seen.source}" if self.seen else "",
        )

    def doubt(self, learner: Sample) -> str:
        """Return a sentence that says why a time is not credible, or "" if it is.

        Where the limit was measured, a doubt is confirmed by a second measurement: another program
        may have slowed the first one down.
        """
        if self._credible(learner):
            return ""
        if self.floor.measured:
            self.floor = max(self.floor, self._measured_floor(), key=lambda roof: roof.bandwidth)
            if self._credible(learner):
                return ""
        least = self.floor.limit(self.work.bytes, self.work.flops)
        what = "move its bytes" if least.bound == "memory" else "do its arithmetic"
        measured, needed = tell_apart(learner.median_ms, least.ms, digits=3)
        return (
            f"Not believed: {measured} ms was measured, and this device needs "
            f"{needed} ms to {what} ({self.floor.describe()}: {self.floor.source}). "
            "Part of the data was still in a cache, or part of the work was not done."
        )

    def _credible(self, learner: Sample) -> bool:
        least = self.floor.limit(self.work.bytes, self.work.flops)
        loosened = _OF_COPY if self.floor.measured else _OF_DATASHEET
        return learner.ci95_ms[1] * loosened >= least.ms


def _copy_bandwidth(device: str, nbytes: int) -> float:
    """Return the best bandwidth of a few copies that move `nbytes`, reads plus writes, a second."""
    source = torch.ones(max(1, min(nbytes, _LARGE) // 8), device=device)
    target = torch.empty_like(source)
    times = samples.round_of(lambda s: target.copy_(s), [(source,)], 7)
    return 2 * source.numel() * source.element_size() / (min(times) * 1e-3)
