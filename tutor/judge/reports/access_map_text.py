"""Words and characters for an access map. Pure; the command prints them, the screen adds colours."""

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tutor.base.number_text import amount, amounts, times
from tutor.judge.model.access_map import (
    MAX_PROGRAMS,
    AccessMap,
    AccessStep,
    Launch,
    Program,
    Tensor,
)
from tutor.judge.model.tensor_grid import (
    Block,
    Grid,
    draw_grid,
    index_of,
    is_line,
    make_grid,
    scale_words,
    union,
)

# Marks of a cell: capitals if the program accesses each of its elements, small letters for a part.
UNTOUCHED, OTHERS, LOADED, STORED, BOTH, RACE = "·", "░", "L", "S", "B", "!"
_MAX_BLOCKS = 3  # in a sentence
_MARGIN = 16  # columns of blanks and of the numbers beside a drawing
_VERBS = {"load": "loads", "store": "stores", "atomic": "updates (atomic)"}
_SHORT = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "u8",
}


def format_access_map(
    access: AccessMap, program: tuple[int, int, int], width: int = 80
) -> list[str]:
    """Return the map as text with the accesses of one program in each launch.

    The drawings have at most `width` columns."""
    out = [f"case “{access.case}”: {access.inputs}"]
    marks: set[str] = set()
    columns = max(8, min(64, width - _MARGIN))
    for launch in access.launches:
        out += ["", *summarize_launch(access, launch), ""]
        one = program_of(launch, program)
        out.append(program_words(access, launch, program))
        steps = one.steps if one else ()
        out += [f"  {step_words(launch, step)}" for step in steps]
        if one and one.left_out:
            out.append(f"  … and {one.left_out} more loads and stores")
        for tensor in launch.tensors:
            out += ["", tensor_title(tensor)]
            drawn = draw_tensor(tensor, steps_on(launch, steps, tensor), rows=16, columns=columns)
            out += [f"  {line}" for line in (*drawn.rows, *drawn.notes)]
            marks |= drawn.marks
    out += ["", legend(marks, say_others(*access.launches, all_shown=True))]
    if access.left_out:
        out.append(f"{access.left_out} further launches are left out.")
    return out


def program_of(launch: Launch, program: tuple[int, int, int]) -> Program | None:
    """Return the program with that index along the three axes, None if it was not recorded."""
    return next((candidate for candidate in launch.programs if candidate.id == program), None)


def steps_on(launch: Launch, steps: Iterable[AccessStep], tensor: Tensor) -> tuple[AccessStep, ...]:
    """Return those of the steps that load or store elements of the tensor."""
    return tuple(step for step in steps if launch.tensors[step.tensor] is tensor)


# --- words ------------------------------------------------------------------------------------------


def _say_stopped(why: str) -> str:
    at = re.fullmatch(r"((?:.+, )?line \d+): stopped (before .+?)\.?", why)
    return f"Stopped at {at[1]}, {at[2]}." if at else f"It stopped early: {why.rstrip('.')}."


def summarize_launch(access: AccessMap, launch: Launch) -> list[str]:
    """Describe the launch, its bytes and the least possible, and an early end."""
    grid = " × ".join(map(str, launch.grid))
    programs = "1 program moves" if launch.size == 1 else f"{launch.size} programs move"
    moved = sum(run.loaded + run.stored for run in access.launches)
    own, every, least = amounts(launch.loaded + launch.stored, moved, access.least)
    text = f"`{launch.kernel}`, grid {grid}: {programs} {own}"
    text += f" (loads {amount(launch.loaded)}, stores {amount(launch.stored)})"
    if len(access.launches) > 1:
        text += f", all {len(access.launches)} launches {every}"
    text += f"; the task needs {least}"
    text += f": {times(moved / access.least)}." if access.least else "."
    out = [text]
    if access.stopped:
        out.append(_say_stopped(access.stopped))
    return out


def program_words(access: AccessMap, launch: Launch, at: tuple[int, int, int]) -> str:
    """Describe the bytes of the program at this place of the grid."""
    program = program_of(launch, at)
    name = f"Program {_index(at)}"
    if program is None:
        if any(i >= n for i, n in zip(at, launch.grid, strict=True)):
            return f"{name} is not in the grid."
        if len(launch.programs) >= MAX_PROGRAMS and at > launch.programs[-1].id:
            return f"{name} is not kept: these are the first {MAX_PROGRAMS}."
        return f"{name} touches no memory{', or did not run' if access.stopped else ''}."
    least = "at least " if program.left_out else ""
    count = len(program.steps) + program.left_out
    ways = f"{count} loads and stores" if count > 1 else "one access"
    return f"{name} moves {least}{amount(launch.bytes_of(program))} in {ways}:"


def step_words(launch: Launch, step: AccessStep) -> str:
    """Describe a step, such as `line 17 loads x_ptr: element 1024 (1 of 1024 lanes)`."""
    tensor = launch.tensors[step.tensor]
    where = step.place or (f"line {step.line}" if step.line else "")
    where += " " if where else ""
    verb = _VERBS[step.kind]
    if not step.on:
        return f"{where}{verb} nothing of {tensor.name}: all {step.lanes} lanes are masked off"
    lanes = f"{step.on} of {step.lanes} lanes" if step.on < step.lanes else _lanes(step.lanes)
    text = f"{where}{verb} {tensor.name}: {elements_words(step.blocks, tensor.shape)}"
    text += ", and more" if step.cut else ""
    text += f" ({lanes})"
    if step.beside:
        text += f"; {_lanes(step.beside)} between the elements of the view"
    if step.outside:
        text += f"; {_lanes(step.outside)} OUTSIDE, the first at {step.first_outside}"
    return text


def code_of(step: AccessStep, source: str) -> tuple[str, str] | None:
    """Return the line of the access, by its number in `source` (the learner's file) or by its place in
    another file, and the text there; None if no line is known."""
    if step.place:
        return step.place, step.code
    if not step.line:
        return None
    return f"{step.line:>4}", "".join(source.split("\n")[step.line - 1 : step.line]).strip()


def _lanes(count: int) -> str:
    return f"{count} lane{'' if count == 1 else 's'}"


def tensor_title(tensor: Tensor) -> str:
    """Name a tensor with its type and shape: `x f32[64,32]`."""
    dtype = _SHORT.get(tensor.dtype, tensor.dtype)
    return f"{tensor.name} {dtype}[{','.join(map(str, tensor.shape))}]"


def _notes(tensor: Tensor, scale: str) -> list[str]:
    """Return the scale, and the elements that two programs access. It is a race if one stores."""
    out = [scale] if scale else []
    if tensor.stored_twice:
        where = elements_words(tensor.stored_twice, tensor.shape)
        out.append(f"{RACE} race: several store {where}")
    if tensor.crossed:
        where = elements_words(tensor.crossed, tensor.shape)
        out.append(f"{RACE} race: one stores, another loads {where}")
    if tensor.loaded_twice:
        out.append(f"several load {elements_words(tensor.loaded_twice, tensor.shape)}")
    if tensor.cut:
        out.append("drawn in part: too scattered")
    return out


def elements_words(blocks: tuple[Block, ...], shape: tuple[int, ...]) -> str:
    """Name a set of elements, such as `rows 32 to 63, columns 0 to 31`."""
    if not blocks:
        return "nothing"
    if sum(length * count for _, length, count, _ in blocks) == math.prod(shape) > 1:
        return "every element"
    text = [
        _line_block(block) if is_line(shape) else _plane_block(block, shape)
        for block in blocks[:_MAX_BLOCKS]
    ]
    if len(blocks) > _MAX_BLOCKS:
        text.append(f"{len(blocks) - _MAX_BLOCKS} more such blocks")
    return "; ".join(text)


def _line_block(block: Block) -> str:
    start, length, count, pitch = block
    if count == 1:
        return _span("element", start, start + length - 1)
    if length == 1:
        return f"every {_nth(pitch)} element from {start} to {start + (count - 1) * pitch}"
    return f"{count} runs of {length} elements, {pitch} apart, from {start}"


def _plane_block(block: Block, shape: tuple[int, ...]) -> str:
    start, length, count, pitch = block
    width = shape[-1]
    row, column = divmod(start, width)
    if count == 1 and column == 0 and length % width == 0:  # whole rows
        length, count, pitch = width, length // width, width
    if column + length > width or (count > 1 and pitch % width):
        index = _index(index_of(start, shape), "[]")
        if count == 1:
            return f"{length} elements from {index} on"
        runs = f"{count} runs of {length} elements" if length > 1 else f"{count} elements"
        return f"{runs}, {pitch} apart, from {index}"
    step = pitch // width
    last = row + (count - 1) * step
    first_row, last_row = (_row(number, shape) for number in (row, last))
    if count == 1:
        rows = f"row {first_row}"
    elif step == 1:
        rows = f"rows {first_row} to {last_row}"
    else:
        rows = f"every {_nth(step)} row from {first_row} to {last_row}"
    return rows if length == width else f"{rows}, {_span('column', column, column + length - 1)}"


def _row(row: int, shape: tuple[int, ...]) -> str:
    index = index_of(row, shape[:-1])
    return str(index[0]) if len(index) == 1 else _index(index, "[]")


def _span(name: str, first: int, last: int) -> str:
    return f"{name} {first}" if first == last else f"{name}s {first} to {last}"


def _index(index: tuple[int, ...], around: str = "()") -> str:
    return f"{around[0]}{', '.join(map(str, index))}{around[1]}"


def _nth(n: int) -> str:
    if n % 100 not in (11, 12, 13) and n % 10 in (1, 2, 3):
        return f"{n}{('st', 'nd', 'rd')[n % 10 - 1]}"
    return f"{n}th"


# --- drawing ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawing:
    """`rows` has the marks with row and column numbers; `notes` are below them."""

    rows: list[str]
    notes: list[str]
    marks: set[str]


def draw_tensor(tensor: Tensor, steps: tuple[AccessStep, ...], rows: int, columns: int) -> Drawing:
    """Draw the tensor in at most so many rows and columns of marks, without the numbers.

    The elements of the steps have marks that differ.
    """
    grid = make_grid(tensor.shape, rows, columns)
    marks = _cells(grid, tensor, steps)
    return Drawing(
        draw_grid(grid, tensor.shape, lambda row, column: marks[row][column]),
        _notes(tensor, scale_words(grid, tensor.shape)),
        {mark for row in marks for mark in row},
    )


def _cells(grid: Grid, tensor: Tensor, steps: tuple[AccessStep, ...]) -> list[list[str]]:
    """Return a mark for each cell."""

    def count_elements(blocks: Iterable[Block]) -> list[list[int]]:
        return grid.counts(union(blocks))

    loads = count_elements(b for step in steps if step.kind == "load" for b in step.blocks)
    stores = count_elements(b for step in steps if step.kind != "load" for b in step.blocks)
    raced = count_elements((*tensor.stored_twice, *tensor.crossed))
    touched = count_elements((*tensor.loaded, *tensor.stored))

    def mark(row: int, column: int) -> str:
        size = grid.size(row, column)
        load, store = loads[row][column], stores[row][column]
        if (load or store) and raced[row][column]:
            return RACE
        if load or store:
            letter = BOTH if load and store else LOADED if load else STORED
            return letter if max(load, store) >= size else letter.lower()
        return OTHERS if touched[row][column] else UNTOUCHED

    return [[mark(row, column) for column in range(grid.columns)] for row in range(grid.rows)]


def say_others(*launches: Launch, all_shown: bool) -> str:
    """Say who uses the elements of launches that have no letter. `all_shown`: every access of the
    program is."""
    if all(launch.size == 1 for launch in launches):
        return "used by its other accesses"
    return "used by other programs" if all_shown else "used by other accesses or programs"


def legend(marks: Collection[str], others: str) -> str:
    """Explain these marks; `others` is what `say_others` says."""
    meanings = {
        LOADED: "loaded by this program",
        LOADED.lower(): "loaded in part",
        STORED: "stored",
        STORED.lower(): "stored in part",
        BOTH: "loaded and stored",
        BOTH.lower(): "loaded and stored in part",
        RACE: "in a race with another program",
        OTHERS: others,
        UNTOUCHED: "never touched",
    }
    return "   ".join(f"{mark} {meaning}" for mark, meaning in meanings.items() if mark in marks)
