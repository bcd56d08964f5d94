"""What a kernel is without each of Triton's passes, as a table: cells, words, the lines of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tutor.xray.model.stages import Number, Omission

HEADS = ("without", "instr", "widest", "shared", "async", "mma", "regs", "spill")
TIME = "µs"  # the head of a further column, where the whole kernel was timed
WIDTHS = (6, 7, 6, 5, 3, 4, 5, 7)  # of the columns after the first
NAME, SHORT_NAME = 33, 28  # columns of a pass's name; the longest that is told often has 28
LEGEND = (
    "instr: instructions · widest: bits of the widest load/store of global memory · shared: bytes",
    "async: asynchronous copies to shared memory · mma: instructions of tensor cores",
    "regs: registers of a thread · spill: words of a thread that they have no room for",
)
TIME_LEGEND = (
    "µs: a launch on this GPU with drawn numbers, the median; it counts as another time where the "
    "middle halves of the launches do not meet"
)
TIME_COLUMNS = 8  # of the column of times, with its blank
NOTHING = "nothing"
_NAMES = {
    "instructions": "instructions",
    "load_bits": "bits of the widest load",
    "store_bits": "bits of the widest store",
    "shared_bytes": "bytes of shared memory",
    "async_copies": "asynchronous copies",
    "tensor_core": "tensor-core instructions",
    "registers": "registers",
    "vgprs": "vector registers",
    "spills": "spilled words",
    "barriers": "barriers",
}
_MOST_REASON = 200  # characters of a reason in a row


def is_idle(row: Omission) -> bool:
    """Return True for a pass that changes nothing in this kernel."""
    return bool(row.name) and not row.changed and not row.failed and not row.sentence


def title_of(row: Omission) -> str:
    """Return `coalesce`, `cse ×2`; of the whole lowering `nothing`."""
    times = f" ×{row.times}" if row.times > 1 else ""
    return f"{row.name}{times}" if row.name else NOTHING


def cells_of(row: Omission, whole: Omission) -> tuple[tuple[str, bool], ...]:
    """Return the cells of a row under `HEADS`, after the first, and whether each differs from `whole`'s.
    A count that is not known is "-". Where the whole kernel was timed, a cell of `TIME` follows."""
    cells = [_cell_values(one) for one in (row, whole)]
    counted = tuple((mine, mine != other) for mine, other in zip(*cells, strict=True))
    if whole.time is None:
        return counted
    if row.time is None:
        return (*counted, ("" if is_idle(row) else "-", False))
    return (*counted, (format_time(row.time.median), row.time.differs_from(whole.time)))


def heads_of(whole: Omission) -> tuple[str, ...]:
    """Return the heads of the table's columns."""
    return HEADS if whole.time is None else (*HEADS, TIME)


def legend_of(whole: Omission) -> tuple[str, ...]:
    """Return what the heads mean, and why there is no time where this machine has the GPU."""
    if whole.time is not None:
        return (*LEGEND, TIME_LEGEND)
    return (*LEGEND, f"Not timed on this GPU: {whole.untimed}") if whole.untimed else LEGEND


def format_time(us: float) -> str:
    """Return microseconds with three digits that count."""
    return f"{us:.2f}" if us < 10 else f"{us:.1f}" if us < 100 else f"{us:,.0f}"


def _cell_values(row: Omission) -> list[str]:
    counts = dict(row.counts)

    def show(*names: str) -> str:
        known = [counts[name] for name in names if name in counts]
        return f"{known[0]}" if known else "-"

    loads, stores = show("load_bits"), show("store_bits")
    return [
        show("instructions"),
        loads if loads == stores else f"{loads}/{stores}",
        show("shared_bytes"),
        show("async_copies"),
        show("tensor_core"),
        show("registers", "vgprs"),
        show("spills"),
    ]


def align(cells: Sequence[str], room: int = NAME) -> list[str]:
    """Return the cells of a row below the heads, with blanks between: the name in `room` columns, the
    numbers to the right."""
    name, *others = cells
    first = name if len(name) <= room else f"{name[: room - 1]}…"
    numbers = [cell.rjust(width) for cell, width in zip(others, WIDTHS, strict=False)]
    return [f"{first:<{room}}", numbers[0], *(f" {number}" for number in numbers[1:])]


def describe_end(row: Omission) -> str:
    """Return in words why a row has no counts of its own, or ""."""
    if row.failed:
        return f"no {row.failed}: {row.sentence[:_MOST_REASON]}"
    return ""


def describe_changes(row: Omission, whole: Omission) -> str:
    """Return a sentence on what the kernel is without the pass."""
    if row.failed:
        return f"Without it there is no {row.failed}: {row.sentence}"
    if is_idle(row):
        return "It changes nothing in this kernel."
    before = dict(whole.counts)
    said = [
        f"{_number(value)} {_NAMES[name]} (with it {_number(before[name])})"
        for name, value in row.counts
        if name in _NAMES and name in before and value != before[name]
    ]
    counts = "; ".join(said) or "the same counts"
    end = f" {row.sentence.rstrip('.')}." if row.sentence else ""
    texts = f" Texts that differ: {', '.join(row.changed)}." if row.changed else ""
    return f"Without it: {counts}.{_describe_time(row, whole)}{texts}{end}"


def _describe_time(row: Omission, whole: Omission) -> str:
    """Return a sentence on the time of a launch, or ""."""
    if row.untimed:
        return f" No time: {row.untimed.rstrip('.')}."
    if row.time is None or whole.time is None:
        return ""
    mine, other = (format_time(time.median) for time in (row.time, whole.time))
    if not row.time.differs_from(whole.time):
        return f" A launch takes as long, {mine} µs (with it {other})."
    return f" A launch takes {mine} µs (with it {other})."


def _number(value: Number) -> str:
    return f"{value:,}"


def describe_idle(rows: Sequence[Omission]) -> str:
    """Return the passes that change nothing, by their stages, or "" where there is none."""
    stages: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: row.place):
        if is_idle(row):
            stages.setdefault(row.stage, []).append(row.name)
    return "; ".join(f"{stage}: {', '.join(names)}" for stage, names in stages.items())


def format_rows(rows: Sequence[Omission]) -> Iterator[str]:
    """Yield the heads, a line for the whole kernel, and one for each pass that changes something or
    without which the kernel cannot be lowered; the passes of a stage below its name."""
    ordered = sorted(rows, key=lambda row: row.place)
    whole = next(row for row in ordered if not row.name)
    yield "".join(align(heads_of(whole)))
    stage = ""
    for row in ordered:
        if is_idle(row):
            continue
        if row.stage != stage:
            stage = row.stage
            yield f"{stage}:"
        name = ("  " if row.name else "") + title_of(row)
        if why := describe_end(row):
            yield f"{name:<{NAME}} {why}"
        else:
            yield "".join(align((name, *(cell for cell, _ in cells_of(row, whole)))))
