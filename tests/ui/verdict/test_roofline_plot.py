"""The roofline plot: what is drawn, where, and what is said where there is nothing to draw."""

import dataclasses
import re

import pytest
from doing import SMALL, WIDE, Host, seen, show, until
from hypothesis import given
from hypothesis import strategies as st
from monkey_ways import NoJudge
from timed import CEILINGS, H200, timing

from tutor.hardware import gpus
from tutor.hardware.measured_peaks import Figure, MeasuredPeaks, keep_peaks, processor
from tutor.judge.client import Judge
from tutor.judge.model.verdict import Timing, Verdict, to_json
from tutor.judge.spec import Work
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.lab.screen import LabScreen
from tutor.ui.verdict import roofline_plot

SEEN = {CEILINGS.device: CEILINGS}


def plot_of(*times: Timing, measured=SEEN) -> roofline_plot.RooflinePlot:
    found = roofline_plot.plot_of_attempts(
        [(f"1{n}:00", H200, t) for n, t in enumerate(times)], measured, "a processor"
    )
    assert found is not None
    return found


def rows_of(plot: roofline_plot.RooflinePlot, width: int, height: int) -> list[str]:
    return roofline_plot.draw_plot(plot, width, height).plain.split("\n")


def grid(plot: roofline_plot.RooflinePlot, width: int, height: int) -> list[str]:
    """The rows of the plot itself, without labels."""
    return [row[7:] for row in rows_of(plot, width, height) if row[6:7] in ("│", "┤")]


def row_with(letter: str, rows: list[str]) -> int:
    return next(n for n, row in enumerate(rows) if letter in row)


@pytest.mark.parametrize("size", [(38, 20), (78, 20), (60, 36)])
def test_every_mark_stands_once_and_quicker_is_higher(size):
    plot = plot_of(timing(0.05), timing(0.5), timing(5.0))
    drawn = grid(plot, *size)
    for letter in "123EC":
        assert sum(row.count(letter) for row in drawn) == 1
    assert row_with("1", drawn) < row_with("2", drawn) < row_with("3", drawn)
    assert all(len(row) <= size[0] for row in rows_of(plot, *size) if "FLOP/s fp32" not in row)


def test_the_newest_stands_exactly_at_its_intensity_and_others_beside_it():
    drawn = grid(plot_of(timing(0.0500), timing(0.0501), timing(0.0502)), 60, 24)
    line = next(row for row in drawn if "1" in row)
    guide = next(row for row in drawn if "┊" in row).index("┊")
    assert line.index("1") == guide
    assert "123" in line


@given(
    st.lists(st.floats(1e-5, 1e4), min_size=1, max_size=15),
    st.integers(1, 1 << 40),
    st.integers(0, 1 << 50),
    st.integers(20, 130),
    st.integers(5, 60),
)
def test_anything_can_be_drawn(times, nbytes, flops, width, height):
    plot = plot_of(*(timing(ms, nbytes, flops) for ms in times))
    text = "\n".join(rows_of(plot, width, height))
    assert "1" in text
    if len(times) > roofline_plot.MOST:
        assert f"{len(times) - roofline_plot.MOST} older" in text
    assert ("no arithmetic" in text) == (flops == 0)


def test_the_datasheet_and_what_was_measured_are_told_apart():
    both = "\n".join(rows_of(plot_of(timing(0.05)), 78, 24))
    assert "4.8 TB/s, 67 TFLOP/s fp32: NVIDIA H200 datasheet (SXM)" in both
    assert "4.3 TB/s, 50 TFLOP/s fp32: measured here on 2026-11-22" in both
    assert "Shares are of the measured roof." in both
    told = "\n".join(rows_of(plot_of(timing(0.05), measured={}), 78, 24))
    assert "measured here on" not in told
    assert "Shares are of the datasheet's roof." in told
    assert "tutor doctor --measure" in told
    # 4.026e12 bytes a second of 4.3e12 and of 4.8e12
    assert " 94%" in both
    assert " 84%" in told


def test_what_is_not_a_result_or_not_comparable_is_left_out_and_said():
    doubted = dataclasses.replace(timing(0.001), believed=False)
    attempts = [
        ("12:00", H200, doubted),
        ("11:00", H200, timing(0.05)),
        ("10:00", "cpu", timing(3.0)),
    ]
    plot = roofline_plot.plot_of_attempts(attempts, SEEN, "a processor")
    assert plot is not None
    assert [mark.when for mark in plot.marks] == ["11:00", "eager", "torch.compile"]
    assert plot.left_out == "Not drawn: 1 not believed, 1 on another device."
    assert roofline_plot.plot_of_attempts(attempts[:1], SEEN, "a processor") is None
    assert roofline_plot.plot_of_attempts([], SEEN, "a processor") is None


def test_on_a_processor_the_roof_is_the_copy_of_the_verdict_until_one_is_measured():
    attempts = [("12:00", "cpu", timing(3.0))]
    plot = roofline_plot.plot_of_attempts(attempts, {}, "a processor")
    assert plot is not None
    (roof,) = plot.roofs
    assert roof.bandwidth == pytest.approx(4.8e12)
    assert "a copy" in roofline_plot.draw_plot(plot, 60, 20).plain
    mine = MeasuredPeaks("a processor", {"bandwidth": Figure(2e10, 1e10, 3e10)}, "d", "t")
    plot = roofline_plot.plot_of_attempts(attempts, {"a processor": mine}, "a processor")
    assert plot is not None
    assert [roof.bandwidth for roof in plot.roofs] == [2e10]


# --- in the lab ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_the_page_says_what_to_do_and_then_draws_the_attempts(
    host: Host,
    size: tuple[int, int],
) -> None:
    keep_peaks(
        MeasuredPeaks(processor(), {"bandwidth": Figure(2e10, 1e10, 3e10)}, "2026-11-22", "2.13")
    )
    slug = "fused_chain"
    host.judge = NoJudge(
        host.course.root
    )  # the real one would compile what times are compared with
    async with host.run_test(size=size) as pilot:
        await show(pilot, LabScreen(slug))
        await pilot.press("o")
        await pilot.pause()
        assert "No timed attempt yet." in seen(host)
        await pilot.press("escape")
        for ms in (20.0, 4.0):
            verdict = Verdict(slug, True, "cpu", timing=timing(ms, 33554432, 12582912))
            host.record.activity.attempt(
                JudgedProgram(slug, f"# {ms}\n", to_json(verdict), True, "cpu")
            )
        await show(pilot, LabScreen(slug))
        await pilot.press("o")
        await pilot.pause()
        text = seen(host)
        assert "20 GB/s" in text
        assert re.search(r"1 +\d\d:\d\d +4\.00 ms", text), text
        assert re.search(r"2 +\d\d:\d\d +20\.0 ms", text), text
        assert "┊" in text


async def test_the_roof_of_the_target_is_drawn_without_a_gpu(host: Host, judge: Judge) -> None:
    """With the intensity of the exercise marked: a kernel is not timed on this machine."""
    async with host.run_test(size=SMALL) as pilot:
        lab = LabScreen("vector_add")
        await show(pilot, lab)
        lab.action_page("roofline")
        await until(pilot, lambda: "◆" in seen(host))
        words = " ".join(seen(host).split())
        assert "0.0833 FLOP/byte, so the memory limits it to 279 GFLOP/s" in words
        assert re.search(r"H100 +60.1 µs H200 +41.9 µs", words), words
        assert "The interpreter gives no times." in words


def test_a_plot_without_times_has_the_mark_on_the_roof() -> None:
    work = Work(bytes=24_000, flops=240_000)
    plot = roofline_plot.plot_of_work(work, gpus.target("sm_90"))
    rows = grid(plot, 60, 24)
    (row,) = (n for n, each in enumerate(rows) if "◆" in each)
    column = rows[row].index("◆")
    assert any("⠀" < sign < "⣿" for sign in rows[row][column - 2 : column + 3])
    copied = roofline_plot.plot_of_work(Work(bytes=800, flops=0), gpus.target("sm_90"))
    assert "only the memory counts" in "".join(rows_of(copied, 60, 24))
