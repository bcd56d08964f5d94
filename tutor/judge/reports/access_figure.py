"""A figure of launches for a page: which program touches which element, and how many lanes have none.

Pure. `draw_launches` gives lines of pieces, which a screen colours by program; `describe_launches`
gives sentences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from tutor.judge.model.access_map import AccessStep, Launch, Program, Tensor
from tutor.judge.model.tensor_grid import draw_grid, make_grid, scale_words, union
from tutor.judge.reports.access_map_text import (
    UNTOUCHED,
    step_words,
    tensor_title,
)

COLUMNS = 74
MOST_LAUNCHES = 2
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SEVERAL = "+"
_ROWS, _MARKS = 8, 32  # of one tensor
_BARS, _LANES = 6, 20  # programs with a bar, and the longest bar
_IN_WORDS = 4  # programs that the words name


@dataclass(frozen=True)
class Piece:
    """Some characters of a line. `program` is the number of the one that they are about, if any."""

    text: str
    program: int | None = None


Line = tuple[Piece, ...]
_T = TypeVar("_T")


def draw_launches(launches: Sequence[Launch]) -> list[Line]:
    """Return the lines of a drawing, at most `COLUMNS` wide where the tensors allow it."""
    out: list[Line] = []
    for launch in launches[:MOST_LAUNCHES]:
        if out:
            out.append(())
        out += [_text(format_title(launch)), *_tensors(launch), *_lanes(launch)]
    if len(launches) > MOST_LAUNCHES:
        left = len(launches) - MOST_LAUNCHES
        out.append(_text(f"{left} more {'launch is' if left == 1 else 'launches are'} not drawn."))
    return out


def describe_launches(launches: Sequence[Launch]) -> list[str]:
    """Return sentences that stand for the drawing."""
    out: list[str] = []
    for launch in launches[:MOST_LAUNCHES]:
        out.append(format_title(launch))
        shown = _ends(launch.programs, _IN_WORDS)
        for program in shown:
            out.append(f"Program {_label(launch, program)}:")
            out += [f"  {step_words(launch, step)}" for step in program.steps[:8]]
            hidden = max(0, len(program.steps) - 8) + program.left_out
            out += [f"  and {hidden} more loads and stores"] if hidden else []
        if hidden := len(launch.programs) - len(shown):
            out.append(f"{hidden} more programs lie between them.")
    return out


def format_title(launch: Launch) -> str:
    """Name a launch in Markdown: its kernel, its grid and the number of its programs."""
    grid = launch.grid[: _axes(launch)]
    programs = "program" if launch.size == 1 else "programs"
    return f"`{launch.kernel}`, grid {grid}: {launch.size} {programs}"


# --- tensors ----------------------------------------------------------------------------------------


def _tensors(launch: Launch) -> list[Line]:
    """Draw the tensors side by side as far as they fit, and explain the marks."""
    out: list[Line] = []
    marks: set[str] = set()
    row: list[list[Line]] = []
    for tensor in launch.tensors:
        lines, tensor_marks = _tensor(launch, tensor)
        marks |= tensor_marks
        if row and sum(map(_width, row)) + _width(lines) + 3 * len(row) > COLUMNS:
            out += _beside(row)
            row = []
        row.append(lines)
    out += _beside(row)
    meanings = [_digit_words(launch)] if any(mark in _DIGITS for mark in marks) else []
    if _SEVERAL in marks:
        meanings.append(f"{_SEVERAL} several programs")
    if UNTOUCHED in marks:
        meanings.append(f"{UNTOUCHED} none")
    legend = "; ".join(meanings)
    return [*out, *map(_text, [legend] if len(legend) <= COLUMNS else meanings)]


def _digit_words(launch: Launch) -> str:
    if launch.size > len(_DIGITS):
        return "a digit: the last one of the number of the program that accesses the element"
    text = "a digit: the program that accesses the element"
    if _axes(launch) == 1:
        return text
    last = launch.programs[-1]
    return f"{text} ({_mark(launch, {_number(launch, last)})}: {_label(launch, last)})"


def _tensor(launch: Launch, tensor: Tensor) -> tuple[list[Line], set[str]]:
    ways = [way for way, count in (("loaded", tensor.loaded), ("stored", tensor.stored)) if count]
    head = f"{tensor_title(tensor)}, {' and '.join(ways) or 'not accessed'}"
    if not tensor.numel:
        return [_text(head)], set()
    grid = make_grid(tensor.shape, _ROWS, _MARKS)
    owners: list[list[set[int]]] = [[set() for _ in range(grid.columns)] for _ in range(grid.rows)]
    for program in launch.programs:
        blocks = [b for step in _on(launch, program, tensor) for b in step.blocks]
        for row, counts in enumerate(grid.counts(union(blocks))):
            for column, count in enumerate(counts):
                if count:
                    owners[row][column].add(_number(launch, program))
    plain = draw_grid(grid, tensor.shape, lambda row, column: UNTOUCHED)
    lines, marks = [_text(head), _text(plain[0])], set()
    for row, text in enumerate(plain[1:]):
        drawn_here = text.count(UNTOUCHED)
        pieces = [Piece(text[: len(text) - drawn_here])]
        for column in range(drawn_here):
            mark = _mark(launch, owners[row][column])
            only = next(iter(owners[row][column])) if len(owners[row][column]) == 1 else None
            pieces.append(Piece(mark, only))
            marks.add(mark)
        lines.append(tuple(pieces))
    if scale := scale_words(grid, tensor.shape):
        lines.append(_text(scale))
    return lines, marks


def _mark(launch: Launch, owners: set[int]) -> str:
    if not owners:
        return UNTOUCHED
    if len(owners) > 1:
        return _SEVERAL
    number = next(iter(owners))
    return str(number % 10) if launch.size > len(_DIGITS) else _DIGITS[number]


def _on(launch: Launch, program: Program, tensor: Tensor) -> Iterator[AccessStep]:
    return (step for step in program.steps if launch.tensors[step.tensor] is tensor)


def _number(launch: Launch, program: Program) -> int:
    """Return the program's number in its grid, row by row."""
    (x, y, z), (_, ny, nz) = program.id, launch.grid
    return (x * ny + y) * nz + z


# --- lanes ------------------------------------------------------------------------------------------


def _lanes(launch: Launch) -> list[Line]:
    """Draw the lanes of the first and the last programs: of each the access with the most masked off."""
    chosen = [
        (program, max(program.steps, key=lambda step: step.lanes - step.on))
        for program in launch.programs
        if program.steps
    ]
    if not any(step.on < step.lanes for _, step in chosen):
        return [_text("Every lane of every program has an element.")]
    shown = _ends(chosen, _BARS)
    wide = max(len(_label(launch, program)) for program, _ in shown)
    out: list[Line] = []
    for program, step in shown:
        size = min(step.lanes, _LANES)
        full = -(-step.on * size // step.lanes)
        off = step.lanes - step.on
        count = f"{step.on} of {step.lanes} lanes" + (f", {off} masked off" if off else "")
        out.append(
            (
                Piece(f"program {_label(launch, program):<{wide}}  "),
                Piece("█" * full, _number(launch, program)),
                Piece(f"{'░' * (size - full)}  {count}"),
            )
        )
    if hidden := len(chosen) - len(shown):
        middle = len(shown) // 2
        out.insert(middle, _text(f"… {hidden} more"))
    return out


def _ends(items: Sequence[_T], most: int) -> list[_T]:
    """Return the first and the last of the items, at most so many."""
    half = most // 2
    return list(items) if len(items) <= most else [*items[:half], *items[-half:]]


# --- lines ------------------------------------------------------------------------------------------


def _text(text: str) -> Line:
    return (Piece(text),)


def join_pieces(line: Line) -> str:
    """Return a line's characters without their styles."""
    return "".join(piece.text for piece in line)


def _width(lines: list[Line]) -> int:
    return max(len(join_pieces(line)) for line in lines)


def _beside(blocks: list[list[Line]]) -> list[Line]:
    """Return the lines of the blocks side by side."""
    widths = [_width(lines) for lines in blocks]
    out = []
    for row in zip_longest(*blocks, fillvalue=()):
        pieces: list[Piece] = []
        for line, width in zip(row, widths, strict=True):
            pieces += [*line, Piece(" " * (width - len(join_pieces(line)) + 3))]
        out.append(tuple(pieces[:-1]))
    return out


def _axes(launch: Launch) -> int:
    """Return how many axes the grid has, without the ones at its end."""
    return max([axis for axis, size in enumerate(launch.grid, 1) if size > 1], default=1)


def _label(launch: Launch, program: Program) -> str:
    """Return a program's place in its grid: `2` on one axis, `(2, 1)` on two."""
    axes = _axes(launch)
    return str(program.id[:axes]) if axes > 1 else str(program.id[0])
