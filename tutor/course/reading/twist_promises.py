"""Reader of the `[[promise]]` rows of `exercise.toml` that judge a twist."""

import ast
import re
from collections.abc import Iterable, Iterator

from tutor.course.model import BACKWARDS, TwistPromise
from tutor.course.reading.faults import format_value
from tutor.course.reading.toml_table import Table, is_integer

# Words of a program that are no names. Here stands which there are and what they mean; the judge looks
# for them (`tutor.judge.twists.program_words`).
# Statements, and the nodes that are each of them:
STATEMENTS: dict[str, tuple[type[ast.AST], ...]] = {
    "class": (ast.ClassDef,),
    "for": (ast.For,),
    "if": (ast.If, ast.IfExp),
    "lambda": (ast.Lambda,),
    "match": (ast.Match,),
    "try": (ast.Try,),
    "while": (ast.While,),
    "with": (ast.With,),
    "yield": (ast.Yield, ast.YieldFrom),
}
# Operators of an expression or an augmented assignment, and the node of each:
OPERATORS: dict[str, type[ast.operator]] = {
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "^": ast.BitXor,
    "@": ast.MatMult,
    "**": ast.Pow,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
# What has no word of Python's own, and how a sentence names it:
SHAPES = {
    "[None]": "an index with `None`",
    "comparison": "a comparison with `<` or `>`",
    "comprehension": "a comprehension",
    "helper": "a function under `@triton.jit` that a kernel calls",
    "nest": "a loop in a loop",
    "recursion": "a function that calls itself",
}
KERNELS = "@triton.jit"  # as the place of a word: in any kernel
OR = " or "  # between the words of an entry, of which one is enough
OF = " of "  # between an argument and the function that it is given to or belongs to

_DOTTED = r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*"
_ENTRY = re.compile(
    rf"{_DOTTED}|\.[A-Za-z_]\w*|[A-Za-z_]\w*=|def [A-Za-z_]\w*|'[^']+'"
    rf"|[A-Za-z_]\w*={OF}{_DOTTED}|argument [1-9]{OF}[A-Za-z_]\w*"
)
_ENTRY_WORDS = (
    "names such as `tl.exp2`, `.sort`, `mask=`, `mask= of tl.load`, `argument 2 of f`, "
    "`def forward` or `'text'`, or words of docs/course-format.md, such as `while`, `//` or `recursion`"
)
_SIZE = r"[a-z_]\w*\.shape\[\d\]"
_SEEN = (
    "axes",
    "programs",
    "most_programs",
    "launches",
    "tile",
    "stored",
    "width",
    "steps",
    "backwards",
    "interleaved",
    "turned",
    "straight",
)


def read_twist_promises(rows: Iterable[Table], twists: int, kind: str) -> Iterator[TwistPromise]:
    """Read the rows with a field `twist`, of an exercise with so many twists. Mistakes are noted in
    the rows."""
    for row in rows:
        number = row.integer("twist", 1)
        if number > twists:
            row.fault("twist", f"the number of a twist, 1 to {twists}", format_value(number))
        demands = [name for name in ("uses", "avoids", *_SEEN) if name in row]
        if not demands:
            row.fault("", f"uses, avoids, or one of {', '.join(_SEEN)}", "none")
        seen = [name for name in demands if name in _SEEN]
        if seen and kind != "kernel":
            row.fault(seen[0], "a field for kernels, in an exercise of that kind", kind)
        yield TwistPromise(
            twist=number,
            uses=_read_entries(row, "uses"),
            avoids=_read_entries(row, "avoids"),
            within=row.text("within", ""),
            axes=_read_count(row, "axes"),
            programs=_read_programs(row),
            most_programs=_read_count(row, "most_programs"),
            launches=_read_count(row, "launches"),
            tile=_read_tile(row, "tile"),
            stored=_read_tile(row, "stored"),
            width=_read_count(row, "width", 2),
            steps=_read_count(row, "steps", 2),
            backwards=row.one_of("backwards", BACKWARDS, ""),
            interleaved=row.flag("interleaved"),
            turned=row.flag("turned"),
            straight=row.flag("straight"),
            line=row.line(),
        )
        row.finish("a promise of a twist")


def _read_entries(row: Table, name: str) -> tuple[str, ...]:
    """Names and words. Only `uses` may have several of which one is enough."""
    entries = row.texts(name)
    for entry in entries:
        words = entry.split(OR)
        if name == "avoids" and len(words) > 1:
            row.fault(name, "one name or word an entry", format_value(entry))
        elif not all(map(_is_entry, words)):
            row.fault(name, _ENTRY_WORDS, format_value(entry))
    return entries


def _is_entry(word: str) -> bool:
    return word in OPERATORS or word in SHAPES or bool(_ENTRY.fullmatch(word))


def _read_count(row: Table, name: str, least: int = 1) -> int | None:
    return row.integer(name, least) if name in row else None


def _read_programs(row: Table) -> int | str | None:
    """A number, or the name of an argument's size."""
    value = row.value("programs")
    fits = value is None or (is_integer(value) and value > 0)
    if not fits and not (isinstance(value, str) and re.fullmatch(_SIZE, value)):
        row.fault("programs", 'a number, or a size such as "x.shape[0]"', format_value(value))
        return None
    return value  # type: ignore[no-any-return]


def _read_tile(row: Table, name: str) -> tuple[int, ...]:
    sizes = row.integers(name)
    if name in row and (not 0 < len(sizes) <= 3 or min(sizes) < 0 or not any(sizes)):
        row.fault(name, "one to three sizes, 0 for any", format_value(list(sizes)))
    return sizes
