"""Measured speed of this machine next to its maker's figures. Pure except for the date."""

import datetime
from collections.abc import Mapping

from tutor.base.errors import CannotHere
from tutor.doctor.check_row import OK, CheckRow
from tutor.doctor.probe_process import Found
from tutor.hardware import gpus
from tutor.hardware.measured_peaks import BANDWIDTH, KINDS, Figure, MeasuredPeaks
from tutor.hardware.roofline import format_quantity

_NAMES = {
    BANDWIDTH: "memory, copying",
    "fp32": "fp32",
    "tf32": "tf32",
    "fp16": "fp16",
    "bf16": "bf16",
}


def peaks_of_finding(finding: Found) -> MeasuredPeaks:
    """Date the findings of the probe `ceilings` with today. Raises `CannotHere` where it failed."""
    if "error" in finding:
        raise CannotHere(f"nothing could be measured: {finding['error']}; see `tutor doctor`")
    figures = {kind: Figure(*numbers) for kind, numbers in finding["figures"].items()}
    today = datetime.date.today().isoformat()
    return MeasuredPeaks(str(finding["device"]), figures, today, str(finding["torch"]))


def speed_lines(measured: MeasuredPeaks) -> list[str]:
    """Format one line a figure: the median, its interval, the datasheet's value and the share of it."""
    known = gpus.find(measured.device)
    out = []
    for kind in KINDS:
        if kind not in measured.figures:
            continue
        figure = measured.figures[kind]
        unit = "B/s" if kind == BANDWIDTH else "FLOP/s"
        said = f"{_NAMES[kind]:<16}{format_quantity(figure.median):>6}{unit}"
        said += (
            f"  (95 %: {format_quantity(figure.low).strip()}–{format_quantity(figure.high)}{unit})"
        )
        told = getattr(known, kind) if known else 0.0
        if told:
            said += f"  datasheet {format_quantity(told)}{unit}, {figure.median / told:.0%} of it"
        out.append(said)
    if known is None:
        out.append("There is no datasheet of this device here to compare with.")
    else:
        out.append(f"Datasheet: {known.source}.")
    return out


def speed_row(measured: Mapping[str, MeasuredPeaks]) -> CheckRow:
    """For the list of `tutor doctor`."""
    if not measured:
        said = (
            "not measured: verdicts show datasheets only (`tutor doctor --measure`, some seconds)"
        )
        return CheckRow("ceilings", OK, said)
    parts = []
    for name, peaks in measured.items():
        memory = peaks.figures.get(BANDWIDTH)
        copied = f"{format_quantity(memory.median)}B/s copying, " if memory else ""
        parts.append(f"{name}: {copied}measured on {peaks.day}")
    return CheckRow("ceilings", OK, "; ".join(parts))
