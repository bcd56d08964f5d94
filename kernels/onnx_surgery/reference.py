"""Which nodes must be left is read off the text of a model: ONNX is not asked."""

import math
import re
from collections import Counter
from itertools import product

from tutor.judge.cases.drawn_programs import draw_numbers
from tutor.judge.cases.fx_graphs import draw
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="new", rtol=1e-5, unit="nodes")

LINE = re.compile(r"^\s*(\w+) = (\w+)\s*(<.*>)?\s*\(([^()]*)\)\s*$")
NEW_FORM = ("ReduceMean", "ReduceMax")  # opset 18 has their axes as an input
ROOT, ONE, HALF = 2**0.5, 1.0, 0.5


def lines_of(program):
    """The nodes of a model's text: name of the value, operator, what is in <>, and what is read."""
    found = [match.groups() for match in map(LINE.match, program.splitlines()) if match]
    return [
        (name, operator, more or "", re.findall(r"\w+", reads))
        for name, operator, more, reads in found
    ]


def fused(program):
    """The lines that make up GELUs which must become one node, by the name of the last."""
    rows = lines_of(program)
    made = {name: (operator, more, reads) for name, operator, more, reads in rows}
    readers = Counter(each for *_, reads in rows for each in reads)
    results = re.findall(r"\w+", re.sub(r"\[.*?\]", "", program.split("=>")[1].split("{")[0]))
    readers.update(name for name in results if name in made)

    def beside(name, operator, number):
        kind, _, reads = made.get(name, ("", "", []))
        if kind != operator or len(reads) != 2:
            return ""
        places = (1,) if operator == "Div" else (0, 1)
        return next((reads[1 - at] for at in places if is_number(reads[at], number)), "")

    def is_number(name, number):
        kind, more, _ = made.get(name, ("", "", []))
        written = re.findall(r"\{([^{},]*)\}", more)
        is_float = "int64" not in more
        return (
            kind == "Constant"
            and is_float
            and len(written) == 1
            and math.isclose(float(written[0]), number, rel_tol=1e-6)
        )

    found = {}
    for last, *_ in rows:
        kind, _, reads = made[last]
        if kind != "Mul":
            continue
        for value, halved in (reads, reads[::-1]):
            shifted = beside(halved, "Mul", HALF)
            erf = beside(shifted, "Add", ONE)
            if made.get(erf, ("",))[0] != "Erf":
                continue
            div = made[erf][2][0]
            inner = (div, erf, shifted, halved)
            if beside(div, "Div", ROOT) == value and all(readers[each] == 1 for each in inner):
                found[last] = (*inner, last)
    return found


def check_rewrite(program, before, after):
    """Return a sentence if other nodes are left than the task leaves, else None."""
    rows, gone = lines_of(program), fused(program)
    inside = {name for group in gone.values() for name in group}
    left = [row for row in rows if row[0] not in inside]
    read = {each for *_, reads in left for each in reads}
    want = Counter(operator for _, operator, *_ in left if operator != "Constant")
    want["Gelu"] += len(gone)
    have = Counter()
    for each in after:
        have[each.name] += each.times
    constants = have.pop("Constant", 0)
    for name in dict.fromkeys((*want, *have)):
        if have[name] != want[name]:
            return f"`{name}`: {tell(have[name])} in the place of {tell(want[name])}."
    may = sum(operator == "Constant" and name in read for name, operator, *_ in left)
    may += sum(want[name] for name in NEW_FORM)
    if constants > may:
        return f"`Constant`: {tell(constants)}, and no more than {may} are read by what is left."
    return None


def tell(count):
    return f"{count} node{'' if count == 1 else 's'}"


def model(lines, results="out"):
    """The text of a model of opset 17, with two inputs [2, 3]; it ends with these results."""
    body = "".join(f"   {line}\n" for line in lines)
    places = ", ".join(f"float[2,3] {name}" for name in results.split())
    return (
        '<ir_version: 8, opset_import: ["" : 17]>\n'
        f"g (float[2,3] x, float[2,3] y) => ({places}) {{\n{body}}}\n"
    )


def constant(name, number):
    return f"{name} = Constant <value = float {{{number!r}}}> ()"


CONSTANTS = [constant("root", 1.4142135381698608), constant("one", 1.0), constant("half", 0.5)]
OTHERS = [
    constant("three", 3.0),
    constant("near", 1.5),
    constant("two", 2.0),
    constant("short", 1.41423),  # by 1e-5, as the next two
    constant("above", 1.00001),
    constant("below", 0.499995),
]
# Of one element too, and not scalars; right to a relative error of 5e-7.
SHAPED = [
    constant(name, number).replace("float ", f"float{shape} ")
    for name, number, shape in (
        ("root", 1.414213, "[1]"), ("one", 1.0000005, "[1,1]"), ("half", 0.5000002, "[1]"),
    )
]


def gelu(result, value, tag="", order=(0, 0, 0), names=("root", "one", "half"), again=None):
    """Five lines; `order`: which of Add, Mul and Mul has its operands exchanged."""
    root, one, half = names
    d, e, k, q = (f"{letter}{tag}" for letter in "dekq")

    def call(operator, a, b, turned):
        return f"{operator} ({b}, {a})" if turned else f"{operator} ({a}, {b})"

    return [
        f"{d} = Div ({value}, {root})",
        f"{e} = Erf ({d})",
        f"{k} = {call('Add', e, one, order[0])}",
        f"{q} = {call('Mul', half, k, order[1])}",
        f"{result} = {call('Mul', again or value, q, order[2])}",
    ]


def mixed(g, lines, results):
    """The lines in another order that is right too, with names that say nothing."""
    waiting, done = lines_of(model(lines)), []
    names = {name for name, *_ in waiting}
    while waiting:
        there = {name for name, *_ in done} | ({"x", "y"} - names)
        ready = [row for row in waiting if there.issuperset(row[3])]
        row = ready[draw(g, 0, len(ready))]
        done.append(row)
        waiting.remove(row)
    new = {name: f"v{at}" for at, (name, *_) in enumerate(done) if name not in results.split()}
    return [
        f"{new.get(name, name)} = {operator} {more}({', '.join(new.get(a, a) for a in reads)})"
        for name, operator, more, reads in done
    ]


def made(lines, results="out"):
    read = {each for *_, reads in lines_of(model(lines)) for each in reads}
    kept = [each for each in lines if " Constant " not in each or each.split()[0] in read]
    return lambda g: (model(mixed(g, kept, results), results), draw_numbers(g), draw_numbers(g))


OPERATIONS = (
    "Add ({a}, {b})",
    "Sub ({a}, {b})",
    "Relu ({a})",
    "Mul ({a}, three)",
    "Erf ({a})",
    "Div ({a}, root)",
    "Identity ({a})",
)
ORDERS = tuple(product((0, 1), repeat=3))


def drawn(turns=4):
    """A model of other operations, GELUs, and fives that are none; some values have two readers."""

    def make(g):
        values, lines = ["x", "y"], [*CONSTANTS, *OTHERS]
        for turn in range(turns):
            near = [*values[:2], *values[-2:]]
            a, b = (near[draw(g, 0, len(near))] for _ in "ab")
            operation = OPERATIONS[draw(g, 0, len(OPERATIONS))]
            lines.append(f"v{turn} = {operation.format(a=a, b=b)}")
            names = ["root", "one", "half"]
            odd = draw(g, 0, 6)
            if odd < 3:  # half of the fives have another number
                names[odd] = ("near", "two", "three")[odd]
            order = ORDERS[draw(g, 0, len(ORDERS))]
            lines += gelu(f"g{turn}", f"v{turn}", f"{turn}", order, names)
            values += [f"v{turn}", f"g{turn}"]
            if draw(g, 0, 4) == 0:
                inner = f"{'dekq'[draw(g, 0, 4)]}{turn}"
                lines.append(f"r{turn} = Sub (g{turn}, {inner})")
                values.append(f"r{turn}")
        lines.append(f"out = Add ({values[-1]}, {values[-2]})")
        read = {each for *_, reads in lines_of(model(lines)) for each in reads}
        kept = [each for each in lines if " Constant " not in each or each.split()[0] in read]
        return model(mixed(g, kept, "out")), draw_numbers(g), draw_numbers(g)

    return make


PLAIN = [*CONSTANTS, "h = Add (x, y)", *gelu("g", "h"), "out = Sub (g, x)"]
TURNED = [
    *SHAPED,
    *gelu("a", "x", "1", (1, 0, 0)),
    *gelu("b", "a", "2", (0, 1, 0)),
    *gelu("c", "b", "3", (0, 0, 1)),
    "out = Sub (c, y)",
]
MEANS = [
    *CONSTANTS,
    "m = ReduceMean <axes = [1], keepdims = 1> (x)",
    "h = Sub (x, m)",
    *gelu("g", "h"),
    "t = ReduceMax <axes = [0], keepdims = 1> (g)",
    "out = Sub (g, t)",
]
SHARED = [*CONSTANTS, "h = Mul (x, half)", *gelu("g", "h"), "s = Add (g, one)", "out = Add (s, y)"]
NEAR = [
    *CONSTANTS,
    *OTHERS,
    *gelu("a", "x", "1", names=("short", "one", "half")),
    *gelu("b", "a", "2", names=("root", "above", "half")),
    *gelu("c", "b", "3", names=("root", "one", "below")),
    *gelu("out", "c", "4"),
]
# Four GELUs, and one that nobody looks into.
FIVE = [
    *CONSTANTS,
    *gelu("a", "x", "1"),
    *gelu("b", "y", "2"),
    *gelu("c", "a", "3"),
    *gelu("f", "b", "4"),
    *gelu("g", "c", "5"),
]
SEEN = [
    *FIVE,
    "s1 = Add (d1, e2)",
    "s2 = Sub (k3, q4)",
    "s3 = Add (s1, s2)",
    "s4 = Add (g, f)",
    "out = Add (s3, s4)",
]
ODD = [
    *CONSTANTS,
    *OTHERS,
    *gelu("a", "x", "1", names=("near", "one", "half")),
    *gelu("b", "a", "2", names=("root", "two", "half")),
    *gelu("c", "b", "3", names=("root", "one", "three")),
    *gelu("d", "c", "4", again="y"),
    *gelu("out", "d", "5"),
]
DIVIDED = [
    *CONSTANTS,
    "d = Div (root, x)",
    "e = Erf (d)",
    "k = Add (e, one)",
    "q = Mul (half, k)",
    "a = Mul (x, q)",
    *gelu("out", "a", "2"),
]
OTHER_OPERATORS = [
    *CONSTANTS,
    "d = Div (x, root)",
    "e = Tanh (d)",
    "k = Add (e, one)",
    "q = Mul (half, k)",
    "a = Mul (x, q)",
    "d2 = Div (a, root)",
    "e2 = Erf (d2)",
    "k2 = Sub (e2, one)",
    "q2 = Mul (half, k2)",
    "b = Mul (a, q2)",
    *gelu("out", "b", "3"),
]
RESULTS = [*CONSTANTS, *gelu("out", "x", "1"), *gelu("second", "y", "2")]

CASES = (
    Case("in the middle", made(PLAIN), "Five nodes become one, and their constants go."),
    Case(
        "operands exchanged",
        made(TURNED),
        "Add and Mul have no first operand, and these constants have an axis.",
    ),
    Case("means beside it", made(MEANS), "ReduceMean and ReduceMax have another form in opset 20."),
    Case("constants with other readers", made(SHARED), "A constant stays while somebody reads it."),
    Case("readers inside", made(SEEN), "Another node reads into each of four fives: these stay."),
    Case("numbers off by 1e-5", made(NEAR), "Only the last five have the numbers of GELU."),
    Case(
        "inner values are results",
        made([*FIVE, "out = Add (f, g)"], "out d1 e2 k3 q4"),
        "Four of the five GELUs have an inner value that is a result: these stay.",
    ),
    Case("other numbers and values", made(ODD), "Only the last five compute GELU."),
    Case(
        "a quotient of sqrt(2)", made(DIVIDED), "Div has a first operand, so the first five stay."
    ),
    Case("other operators", made(OTHER_OPERATORS), "Tanh is not Erf, and a difference is no sum."),
    Case("two results", made(RESULTS, "out second"), "A GELU can be the model's result."),
    *(Case(f"drawn {number + 1}", drawn()) for number in range(5)),
)
