"""The comparison of compilers as a table of 80 columns and a list of what was fused."""

from collections.abc import Iterator, Sequence

from tutor.xray.model.comparison import ComparedCompiler, Comparison
from tutor.xray.model.stages import Number

HEADS = ("compiler", "for", "units", "buffers", "source lines", "error", "s")
_STAGE = 12  # characters of a stage's name


def format_comparison(comparison: Comparison, name: str) -> Iterator[str]:
    """Yield the lines of the comparison of what became of the function `name`."""
    if comparison.operations is not None:
        yield (
            f"{name}: {comparison.operations} operations of ATen, from "
            f"{_plural(comparison.lines, 'line')} of source"
        )
    table = [HEADS, *(cells_of(row, comparison.lines) for row in comparison.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        yield "  ".join(
            cell.ljust(width) for cell, width in zip(cells, widths, strict=True)
        ).rstrip()
    for row in comparison.rows:
        if row.fusions:
            yield ""
            yield f"{row.compiler}: what went into each {row.unit}"
            for unit, operations in row.fusions:
                yield f"  {unit}: {operations}"


def align_rows(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield each row as a line, the cells of a column below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        yield "  ".join(
            cell.ljust(width) for cell, width in zip(cells, widths, strict=True)
        ).rstrip()


def cells_of(row: ComparedCompiler, lines: int) -> tuple[str, ...]:
    """Return the cells of a row; `-` stands for what is not known."""
    if row.after is None and not row.ms:
        return (row.compiler, row.target, "not here", "-", "-", "-", "-")
    return (
        row.compiler,
        row.target,
        describe_units(row),
        describe_buffers(row),
        describe_lines(row, lines),
        "-" if row.difference is None else f"{row.difference:.1g}",
        f"{row.ms / 1000:.1f}",
    )


def describe_units(row: ComparedCompiler) -> str:
    """Return `3 → 1`, or `2 → 2, 1 call`: units before fusion and after it, and calls into libraries."""
    if row.after is None:
        return "-"
    before = "" if row.before is None else f"{row.before:,} → "
    calls = f", {_plural(int(row.library_calls), 'call')}" if row.library_calls else ""
    return f"{before}{row.after:,}{calls}"


def describe_buffers(row: ComparedCompiler) -> str:
    """Return `2, 128 KiB`: blocks of memory and their size together."""
    if row.buffers is None:
        return "-"
    return f"{row.buffers:,}" + ("" if row.bytes is None else f", {_size(row.bytes)}")


def describe_lines(row: ComparedCompiler, lines: int) -> str:
    """Return `3/3 to llvm`: the lines that can be followed, and the last stage that keeps any."""
    if not row.kept_until:
        return f"0/{lines}"
    name = row.kept_until
    name = name if len(name) <= _STAGE else f"{name[: _STAGE - 1]}…"
    return f"{row.lines_kept}/{lines} to {name}"


def _size(number: Number) -> str:
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.4g} {unit}"
        number /= 1024
    return f"{number:.4g} GiB"


def _plural_of(unit: str) -> str:
    return f"{unit}es" if unit.endswith(("s", "ch")) else f"{unit}s"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else _plural_of(noun)}"
