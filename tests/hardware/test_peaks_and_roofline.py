"""What a device can do at most: told by its maker, or measured and kept; and what time that needs."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.errors import CannotHere, UsageError
from tutor.doctor import speed
from tutor.hardware import gpus, measured_peaks, roofline
from tutor.hardware.measured_peaks import Figure, MeasuredPeaks

H200 = gpus.find("NVIDIA H200")
assert H200 is not None
SEEN = MeasuredPeaks(
    "NVIDIA H200",
    {
        "bandwidth": Figure(4.3e12, 4.2e12, 4.4e12),
        "fp32": Figure(5e13, 4.9e13, 5.1e13),
        "tf32": Figure(3.6e14, 3.5e14, 3.7e14),
    },
    "2026-11-22",
    "2.11.0",
)


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))


def test_what_was_measured_is_kept_beside_other_devices():
    assert measured_peaks.read_peaks() == {}
    measured_peaks.keep_peaks(SEEN)
    other = MeasuredPeaks(
        "a processor, 2 cores", {"bandwidth": Figure(2e10, 1.9e10, 2.1e10)}, "d", "t"
    )
    measured_peaks.keep_peaks(other)
    assert measured_peaks.read_peaks() == {SEEN.device: SEEN, other.device: other}
    again = MeasuredPeaks(
        SEEN.device, {"bandwidth": Figure(4e12, 4e12, 4e12)}, "2026-12-01", "2.12"
    )
    measured_peaks.keep_peaks(again)
    assert measured_peaks.read_peaks() == {SEEN.device: again, other.device: other}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"devices": 3}',
        '{"devices": {"a": {}}}',
        '{"devices": {"a": 1}}',
        '{"devices": {"a": {"day": 1, "torch": 2, "figures": {"fp32": {"median": "x"}}}}}',
        '{"devices": {"a": {"day": 1, "torch": 2, "figures": {"fp32": {"median": NaN, "low": 1,'
        ' "high": 2}}}}}',
    ],
)
def test_a_damaged_file_counts_as_none_and_is_written_anew(text):
    measured_peaks.peaks_file().write_text(text)
    assert measured_peaks.read_peaks() == {}
    measured_peaks.keep_peaks(SEEN)
    assert measured_peaks.read_peaks() == {SEEN.device: SEEN}
    assert json.loads(measured_peaks.peaks_file().read_text())["devices"]


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageError):
        measured_peaks.keep_peaks(SEEN)


@pytest.mark.parametrize(
    ("device", "units", "peak", "name"),
    [
        ("NVIDIA H200", "fp32", 67e12, "fp32"),
        ("NVIDIA H200", "bf16", 989e12, "bf16"),
        ("NVIDIA H200", "tf32x3", 494.5e12 / 3, "tf32x3"),
        ("Tesla T4", "tf32x3", 8.1e12, "fp32"),  # no TF32 there
        ("Tesla T4", "bf16", 8.1e12, "fp32"),
        ("NVIDIA GeForce RTX 4090", "tf32x3", 82.6e12, "fp32"),  # three products are slower there
    ],
)
def test_the_peak_is_that_of_the_fastest_arithmetic_allowed(device, units, peak, name):
    known = gpus.find(device)
    assert known is not None
    roof = roofline.roof_of_datasheet(known, units)
    assert (roof.peak, roof.units) == (pytest.approx(peak), name)
    assert not roof.measured


def test_a_measured_roof_uses_measured_peaks():
    roof = roofline.roof_of_measured(SEEN, "tf32x3")
    assert roof is not None
    assert roof.peak == pytest.approx(1.2e14)
    assert roof.describe() == "4.3 TB/s, 120 TFLOP/s tf32x3"
    only_memory = MeasuredPeaks("x", {"bandwidth": Figure(1e9, 1e9, 1e9)}, "d", "t")
    bare = roofline.roof_of_measured(only_memory, "fp32")
    assert bare is not None
    assert math.isinf(bare.peak)
    assert bare.describe() == "1 GB/s"
    assert roofline.roof_of_measured(MeasuredPeaks("x", {}, "d", "t"), "fp32") is None


@given(st.integers(1, 1 << 40), st.integers(0, 1 << 50))
def test_the_limit_is_the_longer_of_two_times_and_the_roof_says_the_same(nbytes, flops):
    roof = roofline.roof_of_datasheet(H200, "fp32")
    limit = roof.limit(nbytes, flops)
    memory, compute = nbytes / 4.8e12 * 1e3, flops / 67e12 * 1e3
    assert limit.ms == max(memory, compute)
    assert limit.bound == ("memory" if memory >= compute else "compute")
    if flops:
        assert flops / (limit.ms * 1e-3) == pytest.approx(roof.at(flops / nbytes))
        assert (limit.bound == "memory") == (flops / nbytes <= roof.ridge) or math.isclose(
            memory, compute
        )


@given(st.floats(1, 1e17))
def test_quantities_keep_three_figures(value):
    said = roofline.format_quantity(value)
    number, _, prefix = said.partition(" ")
    size = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}[prefix]
    assert float(number) * size == pytest.approx(value, rel=0.0051)
    assert "e" not in said


def test_lines_put_the_datasheet_beside_what_was_measured():
    text = speed.speed_lines(SEEN)
    assert "4.3 TB/s" in text[0]
    assert "datasheet 4.8 TB/s, 90% of it" in text[0]
    assert "73% of it" in text[2]
    assert text[-1] == "Datasheet: NVIDIA H200 datasheet (SXM)."
    nobody = MeasuredPeaks("a processor", {"fp32": Figure(3e10, 2e10, 4e10)}, "d", "t")
    assert "no datasheet" in speed.speed_lines(nobody)[-1]
    assert "not measured" in speed.speed_row({}).found
    assert (
        "4.3 TB/s copying, measured on 2026-11-22" in speed.speed_row({"NVIDIA H200": SEEN}).found
    )


def test_a_probe_that_failed_is_said():
    with pytest.raises(CannotHere, match="no torch"):
        speed.peaks_of_finding({"error": "no torch"})
