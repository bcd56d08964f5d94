"""The words of the smallest wrong example: its inputs, what came out, and what should have. Pure."""

from collections.abc import Iterator

from tutor.base.number_text import Number, tell_apart
from tutor.judge.model.verdict import ShownValue, WrongExample
from tutor.judge.reports.document import Block, Columns, Row, Span, Words, words

_MOST_VALUES = 32  # of a tensor that is written out
_MOST_OUTPUTS = 16
_WIDEST = 76  # characters of a line
_DIGITS = 4


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
    """Return `x = [[1, 2],` and further rows below it. A tensor of many elements is only named."""
    name = f"{shown.name:{width}} = "
    if shown.values is None or len(shown.values) > _MOST_VALUES:
        return [f"{name}{shown.spec}"]
    rows = _nest(shown.shape, _write_numbers(shown.values))
    lines = [name + rows[0], *(" " * len(name) + row for row in rows[1:])]
    if "{" in shown.spec:  # a view
        lines[-1] += f"   strides {', '.join(map(str, shown.stride))}"
    return lines if max(map(len, lines)) <= _WIDEST else [f"{name}{shown.spec}"]


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
    texts = [tell_apart(value, digits=_DIGITS)[0] for value in values]
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
