"""A recorded trace of `torch.profiler`, and its timeline in characters.

`lessons/recorded/trace-day-11.json` holds it, by the name of the program that was profiled:

    {"device": "NVIDIA H200", "date": "2026-11-24", "versions": "torch 2.11.0",
     "traces": {"as found": [["cpu_op", "aten::linear", 12.5, 40.1, 0, 0], …], …}}

A row is category, name, start in µs, duration in µs, thread, correlation id (0: none). Times start at
the first step. `tests/content/record_trace.py` makes the file.
"""

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from tutor.base.errors import UsageError
from tutor.base.paths import course_root

GPU = ("kernel", "gpu_memcpy", "gpu_memset")
CATEGORIES = ("user_annotation", "cpu_op", "cuda_runtime", "cuda_driver", *GPU)
MAX_EVENTS = 4_000

# Calls in which the CPU waits for the GPU, and the operator that fetches one number.
WAITS = (
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventSynchronize",
    "aten::_local_scalar_dense",
)
_SHADES = " ░▒▓█"
_LABEL = 10  # columns for a row's name


class Span(msgspec.Struct, frozen=True, array_like=True):
    """An event of a trace. `start` and `us` are µs, `correlation` ties a launch to its kernel."""

    category: str
    name: str
    start: float
    us: float
    thread: int = 0
    correlation: int = 0

    @property
    def end(self) -> float:
        return self.start + self.us


class TraceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a recording: where and when it was made, and the spans by program."""

    device: str
    date: date
    versions: str
    traces: dict[str, list[Span]]


@dataclass(frozen=True)
class RecordedTrace:
    """The spans of one program, in the order of their starts. `marked` says where it was recorded."""

    spans: tuple[Span, ...]
    marked: str

    @property
    def end(self) -> float:
        """µs from the first step's start to the end of the last span."""
        return max((span.end for span in self.spans), default=0.0)

    def of(self, *categories: str) -> tuple[Span, ...]:
        return tuple(span for span in self.spans if span.category in categories)

    @property
    def gpu(self) -> tuple[Span, ...]:
        """Kernels, copies and fills, as the GPU ran them; empty in a trace of a CPU."""
        return self.of(*GPU)

    @property
    def waits(self) -> tuple[Span, ...]:
        """Spans in which the CPU waited for a number or for the GPU, none inside another."""
        waits: list[Span] = []
        for span in self.spans:
            if span.name in WAITS and (not waits or span.start >= waits[-1].end):
                waits.append(span)
        return tuple(waits)

    def chrome(self) -> dict[str, Any]:
        """Return the trace in the form that the profiler exports and Perfetto reads."""
        return {
            "traceEvents": [
                {
                    "ph": "X",
                    "cat": span.category,
                    "name": span.name,
                    "ts": span.start,
                    "dur": span.us,
                    "pid": int(span.category in GPU),
                    "tid": span.thread,
                    "args": {"correlation": span.correlation},
                }
                for span in self.spans
            ]
        }


def trace_file(root: Path) -> Path:
    """Return the path of the recorded trace in the course at `root`."""
    return root / "lessons" / "recorded" / "trace-day-11.json"


def recorded_trace(name: str) -> RecordedTrace:
    """Return the recorded trace of a program. Raises `UsageError` if the file has none."""
    path = trace_file(course_root())
    try:
        file = msgspec.json.decode(path.read_bytes(), type=TraceFile)
        spans = tuple(file.traces[name])
    except (FileNotFoundError, KeyError):
        raise UsageError(f"{path}: no trace {name!r} is recorded") from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: {error}") from None
    day = f"{file.date.day} {file.date:%B %Y}"
    return RecordedTrace(spans, f"recorded on one {file.device} ({file.versions}), {day}")


def busy(spans: tuple[Span, ...], begin: float = 0.0, end: float = float("inf")) -> float:
    """Return the µs between `begin` and `end` in which at least one span runs; spans may overlap."""
    total, reached = 0.0, begin
    for span in sorted(spans, key=lambda span: span.start):
        last = min(span.end, end)
        total += max(0.0, last - max(span.start, reached))
        reached = max(reached, last)
    return total


def timeline(
    trace: RecordedTrace, begin: float = 0.0, end: float | None = None, width: int = 76
) -> str:
    """Draw a trace as rows of characters: a darker one where the row is busy for longer.

    `begin` and `end` are µs, `width` is columns. One row a kind of event; a row without any says so.
    """
    last = trace.end if end is None else end
    columns = max(10, width - _LABEL - 1)
    bounds = [begin + (last - begin) * k / columns for k in range(columns + 1)]
    rows = [
        _row("", _ruler(begin, last, columns)),
        _row("phase", _phases(trace, bounds)),
        _row("operators", _shade(trace.of("cpu_op"), bounds)),
        _row("waiting", _shade(trace.waits, bounds)),
    ]
    if trace.gpu:
        rows.insert(3, _row("launches", _shade(trace.of("cuda_runtime", "cuda_driver"), bounds)))
        rows.append(_row("GPU", _shade(trace.gpu, bounds)))
    else:
        rows.append(_row("GPU", "(none in this trace)"))
    return "\n".join(rows)


def _row(label: str, text: str) -> str:
    return f"{label:<{_LABEL}} {text}".rstrip()


def _ruler(begin: float, end: float, columns: int) -> str:
    line = [" "] * columns
    for k in range(4):
        at = k * columns // 4
        text = f"|{begin + (end - begin) * at / columns:.0f}" + (" µs" if k == 0 else "")
        line[at : at + len(text)] = text[: columns - at]
    return "".join(line)


def _phases(trace: RecordedTrace, bounds: list[float]) -> str:
    """Write the initial of the phase (forward, backward, update, read) that covers most of a column."""
    phases = [s for s in trace.of("user_annotation") if s.name != "step" and s.name[:1].islower()]
    line = ""
    for left, right in pairwise(bounds):
        shares = [(min(s.end, right) - max(s.start, left), s.name[0]) for s in phases]
        share, letter = max(shares, default=(0.0, " "))
        line += letter if share > 0 else " "
    return line


def _shade(spans: tuple[Span, ...], bounds: list[float]) -> str:
    line = ""
    for left, right in pairwise(bounds):
        near = tuple(s for s in spans if s.start < right and s.end > left)
        share = busy(near, left, right) / (right - left) if right > left else 0.0
        line += _SHADES[min(4, int(share * 4 + 0.999))] if share > 0 else " "
    return line
