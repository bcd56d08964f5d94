"""What is said of times, and what is not said: pure."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.judge.model.verdict import KernelTime, Profile, Roofline, Sample, Timing, Verdict
from tutor.judge.reports import timing_text
from tutor.judge.reports.verdict_text import format_verdict
from tutor.judge.sampling import kernel_profile, median

LIMIT = Roofline(805306368, 67108864, 0.168, 0.88, "memory", "4.8 TB/s: NVIDIA H200 datasheet")


@st.composite
def samples(draw) -> Sample:
    low, middle, high = sorted(draw(st.tuples(*[st.floats(1e-4, 1e4)] * 3)))
    return Sample(middle, (low, high), draw(st.integers(8, 500)))


def around(ms: float, part: float = 0.01) -> Sample:
    return Sample(ms, (ms * (1 - part), ms * (1 + part)), 100)


@given(samples(), samples())
def test_faster_is_said_where_the_intervals_have_a_gap_and_nowhere_else(mine, other):
    (said,) = timing_text.comparisons(Timing(mine, eager=other))
    assert said.startswith("Faster") == median.is_clearly_faster(mine, other)
    assert said.startswith("Slower") == median.is_clearly_faster(other, mine)
    assert said.startswith("No difference") == (
        mine.ci95_ms[0] <= other.ci95_ms[1] and other.ci95_ms[0] <= mine.ci95_ms[1]
    )


def test_how_many_times_is_a_range_from_both_intervals():
    timing = Timing(around(1.0), eager=around(1.5), compiled=around(0.5))
    assert timing_text.comparisons(timing) == [
        "Faster than eager by 1.47–1.53×.",
        "Slower than torch.compile by 1.96–2.04×.",
    ]
    assert timing_text.comparisons(Timing(around(1.0, 0), eager=around(1.5, 0))) == [
        "Faster than eager by 1.50×."
    ]


def test_a_time_that_is_not_believed_is_no_result():
    doubted = Timing(
        around(0.001), around(1.0), None, LIMIT, note="Not believed: …", believed=False
    )
    assert timing_text.comparisons(doubted) == []
    text = "\n".join(format_verdict(Verdict("a", True, "cpu", timing=doubted)))
    assert "yours" not in text
    assert "%  of" not in text
    assert "eager" in text
    assert "Not believed: …" in text
    believed = dataclasses.replace(doubted, believed=True, note="")
    assert "yours" in "\n".join(format_verdict(Verdict("a", True, "cpu", timing=believed)))


def test_launch_bound_names_what_the_host_and_an_empty_launch_take():
    timing = Timing(around(0.0042), launch=around(0.0039), alone_ms=0.0003, host_ms=0.031)
    assert timing_text.describe_launch_time(timing) == (
        "An empty launch takes 3.90 µs, timed the same way; the kernel alone 0.300 µs."
    )
    bound = timing_text.describe_launch_time(dataclasses.replace(timing, launch_bound=True))
    assert bound.startswith(
        "Launch-bound: the host needs 31.0 µs to submit a call, the device 4.20 µs to run it."
    )
    assert (
        timing_text.describe_launch_time(Timing(around(1.0))) == ""
    )  # on a CPU nothing is launched


def test_what_was_measured_here_stands_beside_the_limit():
    measured = dataclasses.replace(LIMIT, measured_ms=0.185, measured="4.36 TB/s: measured here")
    said = timing_text.compare_with_limit(measured)
    assert "88% of what the memory allows" in said
    assert "97% of 4.36 TB/s: measured here" in said
    assert "Quicker than a copy" in timing_text.compare_with_limit(
        dataclasses.replace(LIMIT, fraction=1.2)
    )


def test_the_same_work_on_other_gpus_is_a_table_that_fits():
    wide = timing_text.on_other_gpus(LIMIT.bytes, LIMIT.flops, "fp32", 78)
    assert wide[1:] == [
        "T4         2.52 ms  A100      0.395 ms  RTX 4090  0.799 ms",
        "H100      0.240 ms  H200      0.168 ms  B200      0.105 ms",
    ]
    assert [len(timing_text.on_other_gpus(1, 1, "fp32", width)) for width in (20, 38)] == [7, 4]
    # 2^40 products in TF32, which a T4 has not: 8.1 TFLOP/s there
    (first, *_) = timing_text.on_other_gpus(1 << 20, 1 << 40, "tf32", 20)[1:]
    assert first.split() == ["T4", "136", "ms"]
    text = "\n".join(
        format_verdict(Verdict("a", True, "cpu", timing=Timing(around(1.0), roofline=LIMIT)))
    )
    assert f"  {wide[1]}\n  {wide[2]}" in text


def test_kernels_a_line_each_and_their_sum():
    found = Profile((KernelTime("add_kernel", 1.0, 49.0), KernelTime("x" * 500, 2.0, 3.0)))
    text = timing_text.format_profile(Timing(around(0.0526), alone_ms=0.0487, profile=found))
    assert len(text) == 4
    assert "add_kernel" in text[1]
    assert "0.0550 ms" in text[3]  # 49 + 2·3 µs
    assert "48.7 µs" in text[3]
    assert max(map(len, text)) < 100
    why = Profile(note="CUPTI is not available here.")
    assert timing_text.format_profile(Timing(around(1.0), profile=why)) == [why.note]


def test_launches_become_kernels_without_the_flush_between_them():
    flush = "void at::native::vectorized_elementwise_kernel<4, bitwise_not_kernel_cuda(int)>"
    ran = []
    for us in (49.0, 50.0, 51.0):
        ran += [(flush, 30.0), ("fill", 2.0), ("add_kernel", us), ("fill", 2.0)]
    assert kernel_profile.group_launches(ran, calls=3) == [
        KernelTime("add_kernel", 1.0, 50.0),
        KernelTime("fill", 2.0, 2.0),
    ]


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (1234.0, "1.23 s"),
        (12.34, "12.3 ms"),
        (0.0526, "0.0526 ms"),
        (0.0042, "4.20 µs"),
        (0.0, "0 µs"),
        (5.2, "5.20 ms"),
    ],
)
def test_three_figures_and_no_powers_of_ten(ms, said):
    assert timing_text.format_time(ms) == said
