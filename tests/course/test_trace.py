"""Reading a recorded trace, adding up its spans, and drawing it in characters."""

import json

import msgspec
import pytest

from tutor.base.errors import UsageError
from tutor.base.paths import course_root
from tutor.course import trace
from tutor.course.trace import MAX_EVENTS, RecordedTrace, Span, busy, recorded_trace, timeline


def spans(*rows: tuple[str, str, float, float]) -> tuple[Span, ...]:
    return tuple(Span(*row) for row in rows)


WITH_GPU = RecordedTrace(
    spans(
        ("user_annotation", "step", 0, 100),
        ("user_annotation", "forward", 0, 50),
        ("user_annotation", "backward", 50, 50),
        ("cpu_op", "aten::mm", 0, 20),
        ("cuda_runtime", "cudaLaunchKernel", 10, 5),
        ("kernel", "gemm", 20, 30),
        ("cpu_op", "aten::_local_scalar_dense", 20, 35),
        ("cuda_runtime", "cudaStreamSynchronize", 25, 30),
        ("kernel", "copy", 75, 25),
    ),
    "recorded here",
)


def test_time_in_which_spans_overlap_counts_once():
    overlapping = spans(("kernel", "a", 0, 10), ("kernel", "b", 5, 10), ("kernel", "c", 20, 5))
    assert busy(overlapping) == 20
    assert busy(overlapping, 8, 22) == 9
    assert busy(()) == 0


def test_a_wait_inside_another_is_one_wait():
    assert [(wait.name, wait.us) for wait in WITH_GPU.waits] == [("aten::_local_scalar_dense", 35)]


def test_the_timeline_is_dark_where_a_row_is_busy():
    rows = {line[:10].strip(): line[11:] for line in timeline(WITH_GPU, width=31).splitlines()}
    assert rows["phase"] == "ffffffffffbbbbbbbbbb"  # 5 µs a column
    assert rows["operators"] == "███████████"
    assert rows["launches"] == "  █  ██████"
    assert rows["waiting"] == "    ███████"
    assert rows["GPU"] == "    ██████     █████"
    assert rows[""].startswith("|0 µs")


def test_a_part_of_a_trace_can_be_drawn_and_partly_busy_columns_are_lighter():
    rows = timeline(WITH_GPU, 10, 30, width=31).splitlines()
    assert rows[-1] == "GPU                  ██████████"
    light = RecordedTrace(spans(("cpu_op", "a", 0, 1), ("cpu_op", "b", 99, 1)), "")
    assert "░" in timeline(light, width=31)


def test_a_trace_without_gpu_says_so():
    cpu = RecordedTrace(spans(("cpu_op", "aten::mm", 0, 20)), "")
    assert timeline(cpu).endswith("(none in this trace)")
    assert timeline(RecordedTrace((), "")).startswith(" ")  # an empty trace has no row to divide by


@pytest.mark.parametrize("name", ["as found", "repaired"])
def test_the_recorded_traces_are_bounded_ordered_and_marked(name):
    found = recorded_trace(name)
    assert 100 < len(found.spans) <= MAX_EVENTS
    starts = [span.start for span in found.spans]
    assert starts == sorted(starts)
    assert starts[0] == 0
    assert found.marked.startswith("recorded on one ")
    assert {span.category for span in found.spans} <= set(trace.CATEGORIES)
    assert sum(span.name == "step" for span in found.spans) == 2
    exported = json.loads(json.dumps(found.chrome()))["traceEvents"]
    assert len(exported) == len(found.spans)
    assert {"ph", "cat", "name", "ts", "dur", "pid", "tid", "args"} == set(exported[0])


def test_the_two_programs_fetch_a_number_of_each_layer_and_none():
    fetched = [
        sum(span.name == "aten::item" for span in recorded_trace(name).spans)
        for name in ("as found", "repaired")
    ]
    assert fetched == [18, 0]  # eight layers and the loss, in two steps


def test_an_unknown_name_and_a_broken_file_are_one_sentence(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="no trace 'other' is recorded"):
        recorded_trace("other")
    broken = tmp_path / "trace.json"
    monkeypatch.setattr(trace, "trace_file", lambda root: broken)
    with pytest.raises(UsageError, match="no trace"):
        recorded_trace("as found")
    broken.write_bytes(msgspec.json.encode({"device": 3}))
    with pytest.raises(UsageError, match="Expected `str`"):
        recorded_trace("as found")


def test_the_file_lies_with_the_other_recordings():
    assert trace.trace_file(course_root()).parent.name == "recorded"
