"""The words of the smallest wrong example: its inputs, what came out, and what should have. Pure."""

import math
import struct
from collections.abc import Iterator

from tutor.base.number_text import Number, tell_apart
from tutor.judge.model.verdict import ShownValue, WrongExample
from tutor.judge.reports.document import Block, Columns, Row, Span, Words, words

_MOST_VALUES = 32  # of a tensor that is written out
_MOST_OUTPUTS = 16
_WIDEST = 76  # characters of a line
_MOST_DIGITS = 17  # with which any two floats differ
_ROUNDED = "   rounded"  # behind numbers whose digits have no room
_FORMS = {"float16": "e", "float32": "f", "bfloat16": "f"}  # of `struct`


def write_example(example: WrongExample, first_wrong: tuple[Span, ...]) -> Block:
    """Return the block of an example. `first_wrong` names its first wrong element, () without one."""
    blocks = f", with {example.block} in your program" if example.block else ""
    title = "Small enough to trace by hand" if example.is_complete else "The smallest found wrong"
    if example.program:
        title = "The smallest program found on which the pass is wrong"
    return Block(
        tuple(_rows(example, first_wrong)), f"{title} (made from “{example.case}”{blocks}):"
    )


def _rows(example: WrongExample, first_wrong: tuple[Span, ...]) -> Iterator[Row]:
    if example.program:
        yield Columns(example.program)
    width = max((len(shown.name) for shown in example.inputs), default=0)
    lines = [line for shown in example.inputs for line in write_value(shown, width)]
    if example.program and lines:  # of the program it is known by a word
        lines = [f"{'' if number else 'with':4} {line}" for number, line in enumerate(lines)]
    yield Columns(tuple(lines))
    if first_wrong:
        yield Words(first_wrong)
        got, want = example.got, example.want
        if got and want and got.values and want.values and 1 < len(got.values) <= _MOST_OUTPUTS:
            yield Columns(tuple(_write_outputs(got, want)))
    if example.fault:
        yield words(f"Here {example.fault}.")


def write_value(shown: ShownValue, width: int) -> list[str]:
    """Return `x = [[1, 2],` and further rows below it. A tensor of many elements is only named.

    Who computes with the numbers that are shown gets what the program got: they have all their digits,
    or are said to be rounded.
    """
    name = f"{shown.name:{width}} = "
    if shown.values is None or len(shown.values) > _MOST_VALUES:
        return [f"{name}{shown.spec}"]
    exact = _align([_write_exactly(value, shown.dtype) for value in shown.values])
    for texts, note in ((exact, ""), (_write_numbers(shown.values), _ROUNDED)):
        rows = _nest(shown.shape, texts)
        lines = [name + rows[0], *(" " * len(name) + row for row in rows[1:])]
        if "{" in shown.spec:  # a view
            lines[-1] += f"   strides {', '.join(map(str, shown.stride))}"
        lines[-1] += note
        if max(map(len, lines)) <= _WIDEST:
            return lines
    return [f"{name}{shown.spec}"]


def _write_exactly(value: Number, dtype: str) -> str:
    """Write a number of a tensor with as many digits as give it back, and no fewer than elsewhere."""
    digits = 4
    while not _gives_back(text := tell_apart(value, digits=digits)[0], value, dtype):
        digits += 1
    return text


def _gives_back(text: str, value: Number, dtype: str) -> bool:
    """Return True if a tensor of this dtype that is made of the text has the value."""
    if not isinstance(value, float) or not math.isfinite(value):
        return True
    number = float(text)
    if form := _FORMS.get(dtype):
        try:
            number = struct.unpack(form, struct.pack(form, number))[0]
        except OverflowError:
            return False
    if dtype == "bfloat16":  # the upper half of a float32, rounded to even
        bits = struct.unpack("I", struct.pack("f", number))[0]
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        number = struct.unpack("f", struct.pack("I", bits))[0]
    return number == value or text == tell_apart(value, digits=_MOST_DIGITS)[0]


def _write_outputs(got: ShownValue, want: ShownValue) -> Iterator[str]:
    texts = _write_numbers((*(got.values or ()), *(want.values or ())))
    half = len(texts) // 2
    for name, numbers in (("got", texts[:half]), ("want", texts[half:])):
        first, *more = _nest(got.shape, numbers)
        yield f"{name:4} = {first}"
        yield from (f"{'':7}{row}" for row in more)


def _write_numbers(values: tuple[Number, ...]) -> list[str]:
    """Return the numbers in one width; whole numbers without a point. Numbers that differ by rounding
    alone may read alike: the first wrong element has a line of its own."""
    return _align([tell_apart(value)[0] for value in values])


def _align(texts: list[str]) -> list[str]:
    width = max(map(len, texts), default=0)
    return [f"{text:>{width}}" for text in texts]


def _nest(shape: tuple[int, ...], texts: list[str]) -> list[str]:
    """Return the rows of a tensor as Python writes it as a nested list, one line for each row."""
    if not shape:
        return texts
    if len(shape) == 1:
        return [f"[{', '.join(texts)}]"]
    size = len(texts) // shape[0] if shape[0] else 0
    parts = [_nest(shape[1:], texts[i * size : (i + 1) * size]) for i in range(shape[0])]
    lines = [
        line if i == j == 0 else f" {line}"
        for i, part in enumerate(parts)
        for j, line in enumerate(part)
    ]
    ends = [sum(len(part) for part in parts[: i + 1]) - 1 for i in range(len(parts))]
    closed = [f"{line}," if at in ends[:-1] else line for at, line in enumerate(lines)]
    if not closed:
        return ["[]"]
    return (
        [f"[{closed[0]}", *closed[1:-1], f"{closed[-1]}]"]
        if len(closed) > 1
        else [f"[{closed[0]}]"]
    )
