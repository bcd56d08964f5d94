"""The comparison of compilers as a table of 80 columns and a list of what was fused."""

from collections.abc import Iterator, Sequence

from tutor.xray.model.comparison import NO_EXPORT, ComparedCompiler, Comparison
from tutor.xray.model.stages import Number

_HEADS = ("compiler", "for", "units", "buffers", "lines kept to", "error", "s")
_LINES = _HEADS.index("lines kept to")
_STAGE = 14  # characters of a stage's name
_COLUMNS = 80  # of what a command prints
LEGEND = (
    "units: pieces of code before → after fusion, + calls of a library",
    "buffers: memory between inputs and results, and its size",
    "lines kept to: lines of source that can be followed, and how far",
    "error: largest difference from PyTorch · s: seconds of all stages",
)


_NO_EXPORT_MEANS = f"{NO_EXPORT}: torch.export, with which these begin, does not take the function"


def legend_of(comparison: Comparison) -> tuple[str, ...]:
    """Return what the table's words mean, those of its heads first."""
    refused = any(row.trouble == NO_EXPORT for row in comparison.rows)
    return (*LEGEND, _NO_EXPORT_MEANS) if refused else LEGEND


def format_comparison(comparison: Comparison, name: str) -> Iterator[str]:
    """Yield the lines of the comparison of what became of the function `name`."""
    yield f"{name}: {describe_origin(comparison)}" if comparison.lines else name
    yield from fit_table(comparison, _COLUMNS)
    for note in dict.fromkeys(row.recorded for row in comparison.rows if row.recorded):
        names = ", ".join(row.compiler for row in comparison.rows if row.recorded == note)
        yield f"{names}: {note}"
    yield ""
    yield from legend_of(comparison)
    for row in comparison.rows:
        if row.fusions:
            yield ""
            yield f"{row.compiler}: what went into each {row.unit}"
            for unit, operations in row.fusions:
                yield f"  {unit}: {operations}"


def describe_origin(comparison: Comparison) -> str:
    """Return `3 operations of ATen, from 1 line of source`."""
    lines = f"from {_plural(comparison.lines, 'line')} of source"
    if comparison.operations is None:
        return lines
    return f"{_plural(int(comparison.operations), 'operation')} of ATen, {lines}"


def fit_table(comparison: Comparison, columns: int) -> list[str]:
    """Return the heads, then a row a compiler, in lines of this many columns.

    What all are lowered for has no column of its own. Where there is no room, the stage that lines
    can be followed to is left out.
    """
    rows = [_HEADS, *(_cells_of(row, comparison.lines) for row in comparison.rows)]
    lines = _align(comparison, rows)
    if max(map(len, lines)) <= columns:
        return lines
    short = [(*row[:_LINES], row[_LINES].partition(" ")[0], *row[_LINES + 1 :]) for row in rows]
    return _align(comparison, short)


def _align(comparison: Comparison, rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return each row as a line, the cells of a column below each other."""
    if len({row.target for row in comparison.rows}) == 1:
        rows = [(name, *others) for name, _, *others in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for cells in rows
    ]


def _cells_of(row: ComparedCompiler, lines: int) -> tuple[str, ...]:
    """Return the cells of a row; `-` stands for what is not known."""
    return (
        row.compiler,
        row.target,
        describe_units(row),
        describe_buffers(row),
        describe_lines(row, lines) if row.ms else "-",
        "-" if row.difference is None else f"{row.difference:.1g}",
        f"{row.ms / 1000:.1f}" if row.ms else "-",
    )


def describe_units(row: ComparedCompiler) -> str:
    """Return `3 → 1`, or `2 → 1 + 1 call`: units before fusion, the compiler's own after it, and calls
    into libraries. Where there are none, why."""
    if row.after is None:
        return row.trouble or "-"
    before = "" if row.before is None else f"{row.before:,} → "
    calls = int(row.library_calls)
    own = f"{row.after - calls:,}"
    return f"{before}{own} + {_plural(calls, 'call')}" if calls else f"{before}{own}"


def describe_buffers(row: ComparedCompiler) -> str:
    """Return `2, 128 KiB`: blocks of memory and their size together."""
    if row.buffers is None:
        return "-"
    size = "" if row.bytes is None or not row.buffers else f", {_size(row.bytes)}"
    return f"{row.buffers:,}{size}"


def describe_lines(row: ComparedCompiler, lines: int) -> str:
    """Return `3/3 llvm`: the lines that can be followed, and the last stage that keeps any."""
    if not row.kept_until:
        return f"0/{lines}"
    name = row.kept_until
    name = name if len(name) <= _STAGE else f"{name[: _STAGE - 1]}…"
    return f"{row.lines_kept}/{lines} {name}"


def _size(number: Number) -> str:
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.3g} {unit}" if number < 1000 else f"{number:.0f} {unit}"
        number /= 1024
    return f"{number:.3g} GiB"


def _plural_of(unit: str) -> str:
    return f"{unit}es" if unit.endswith(("s", "ch")) else f"{unit}s"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else _plural_of(noun)}"
