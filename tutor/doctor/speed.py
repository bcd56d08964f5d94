"""Measured speed of this machine next to its maker's figures. Pure except for the date."""

import datetime
from collections.abc import Mapping

from tutor.base.errors import CannotHere
from tutor.doctor.check_row import OK, CheckRow
from tutor.doctor.probe_process import Found
from tutor.hardware import gpus
from tutor.hardware.measured_peaks import BANDWIDTH, KINDS, Figure, MeasuredPeaks
from tutor.hardware.roofline import quantity

_NAMES = {
    BANDWIDTH: "memory, copying",
    "fp32": "fp32",
    "tf32": "tf32",
    "fp16": "fp16",
    "bf16": "bf16",
}


def taken(found: Found) -> MeasuredPeaks:
    """Date the findings of the probe `ceilings` with today. Raises `CannotHere` where it failed."""
    if "error" in found:
        raise CannotHere(f"nothing could be measured: {found['error']}; see `tutor doctor`")
    figures = {kind: Figure(*each) for kind, each in found["figures"].items()}
    today = datetime.date.today().isoformat()
    return MeasuredPeaks(str(found["device"]), figures, today, str(found["torch"]))


def lines(measured: MeasuredPeaks) -> list[str]:
    """Format one line a figure: the median, its interval, the datasheet's value and the share of it."""
    known = gpus.find(measured.device)
    out = []
    for kind in KINDS:
        if kind not in measured.figures:
            continue
        each = measured.figures[kind]
        unit = "B/s" if kind == BANDWIDTH else "FLOP/s"
        said = f"{_NAMES[kind]:<16}{quantity(each.median):>6}{unit}"
        said += f"  (95 %: {quantity(each.low).strip()}–{quantity(each.high)}{unit})"
        told = getattr(known, kind) if known else 0.0
        if told:
            said += f"  datasheet {quantity(told)}{unit}, {each.median / told:.0%} of it"
        out.append(said)
    if known is None:
        out.append("There is no datasheet of this device here to compare with.")
    else:
        out.append(f"Datasheet: {known.source}.")
    return out


def row(measured: Mapping[str, MeasuredPeaks]) -> CheckRow:
    """For the list of `tutor doctor`."""
    if not measured:
        said = (
            "not measured: verdicts show datasheets only (`tutor doctor --measure`, some seconds)"
        )
        return CheckRow("ceilings", OK, said)
    parts = []
    for name, each in measured.items():
        memory = each.figures.get(BANDWIDTH)
        copied = f"{quantity(memory.median)}B/s copying, " if memory else ""
        parts.append(f"{name}: {copied}measured on {each.day}")
    return CheckRow("ceilings", OK, "; ".join(parts))
