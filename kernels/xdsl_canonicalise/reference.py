from collections import Counter

import torch

from tutor.judge.cases.drawn_programs import arith, draw_arith
from tutor.judge.cases.mlir_texts import Line, count_executed, read_function, wrap
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="nothing", idempotent=True, unit="executed operations")
WHOLE = ("i8", "i32", "i64", "index")


def simplify(region, stands=None):
    """Apply the rules to the lines of a region and of those inside it.

    Return what each name stands for: the line of a constant, of a sum or a product, or another name.
    """
    stands = {} if stands is None else stands
    for at, line in enumerate(list(region.lines)):
        reads = tuple(_name(stands, name) for name in line.reads)
        line.reads = reads
        for inner in line.regions:
            simplify(inner, stands)
        if line.name == "arith.constant" or line.type not in WHOLE:
            stands[line.result] = line
            continue
        made = _apply(line, [stands.get(name, name) for name in reads], stands)
        if isinstance(made, Line) and made.result == line.result:
            region.lines[at] = made
        stands[line.result] = made
    return stands


def _name(stands, name):
    made = stands.get(name, name)
    return made.result if isinstance(made, Line) else made


def _apply(line, operands, stands):
    """Return what stands in the place of a line: a line with its name, or the value of an operand."""
    numbers = [
        each.number if isinstance(each, Line) and each.name == "arith.constant" else None
        for each in operands
    ]
    kind = line.name.removeprefix("arith.")
    if kind == "subi" and line.reads[0] == line.reads[1]:
        return _constant(line, 0)
    if kind == "subi" and numbers[1] is not None:
        kind, numbers[1] = "addi", wrap(-numbers[1], line.type)
    if kind not in ("addi", "muli") or numbers == [None, None]:
        return line
    c = numbers[1] if numbers[1] is not None else numbers[0]
    x, other = (operands[0], numbers[0]) if numbers[1] is not None else (operands[1], None)
    together = (lambda a, b: a + b) if kind == "addi" else (lambda a, b: a * b)
    if other is not None:
        return _constant(line, together(other, c))
    if isinstance(x, Line) and x.name == f"arith.{kind}" and x.number is not None:
        c, x = wrap(together(x.number, c), line.type), stands.get(x.reads[0], x.reads[0])
    if c == (0 if kind == "addi" else 1):
        return x
    if c == 0:
        return _constant(line, 0)
    reads = (x.result if isinstance(x, Line) else x,)
    return Line(f"arith.{kind}", line.result, reads, line.type, c)


def _constant(line, number):
    return Line("arith.constant", line.result, (), line.type, wrap(number, line.type))


def keep_live(region, stands):
    """Take out what nobody reads, constants too, and count a constant for each place that reads one."""
    live, lines = set(), list(region.walk())
    waiting = [
        line for line in lines if line.name in ("func.return", "scf.yield", "scf.for", "scf.if")
    ]
    while waiting:
        line = waiting.pop()
        live.add(line)
        for name in line.reads:
            made = stands.get(name)
            if isinstance(made, Line) and made not in live:
                waiting.append(made)
    _drop(region, live, stands)


def _drop(region, live, stands):
    kept = []
    for line in region.lines:
        for inner in line.regions:
            _drop(inner, live, stands)
        if line.name == "arith.constant" or line not in live:
            continue
        reads = [stands.get(name) for name in line.reads]
        places = sum(isinstance(each, Line) and each.name == "arith.constant" for each in reads)
        kept += [Line("a constant")] * (places + (line.number is not None)) + [line]
    region.lines[:] = kept


def wanted(program):
    """Count how often each operation runs after the rules; of constants that is the most."""
    function = read_function(program)
    bounds = {
        line.result: int(line.number)
        for line in function.lines
        if line.name == "arith.constant" and line.type == "index"
    }
    keep_live(function, simplify(function))
    return count_executed(function, bounds)


def check_rewrite(program, before, after):
    asked, was, have = wanted(program), Counter(), Counter()
    for operations, counted in ((before, was), (after, have)):
        for each in operations:
            if each.kind != "end":
                counted[each.name] += each.times
    constants, most = have.pop("arith.constant", 0), asked.pop("a constant", 0)
    was.pop("arith.constant", 0)
    for name in sorted(was | have):
        if have[name] > asked[name]:
            return f"`{name}` runs {_times(have[name])}, and {_times(asked[name])} would do."
    for name in sorted(was | have):
        if have[name] < asked[name]:
            return (
                f"`{name}` runs {_times(have[name])} in the place of {_times(asked[name])}: "
                "one has gone that no rule takes away."
            )
    if constants > most:
        said = f"constants run {_times(constants)}, and {_times(most)} would do"
        return f"{said}: nobody reads the others."
    return None


def _times(count):
    return "once" if count == 1 else f"{count} times"


def case(name, lines, why, kind="i32"):
    """Make a case of these lines, whose last one defines what is returned."""
    text = arith(lines, lines[-1].split(" = ")[0]).replace("i32", kind)
    return Case(name, lambda g: (text, *numbers(g, kind)), why)


def numbers(g, kind="i32"):
    """Draw the arguments of eight calls."""
    if kind == "f32":
        return tuple(torch.randn(8, generator=g, device=g.device) for _ in "xy")
    return tuple(torch.randint(-99, 100, (8,), generator=g, device=g.device) for _ in "xy")


def drawn(kind, operations, constants):
    """Draw a program of this type of numbers."""

    def make(g):
        text, *inputs = draw_arith(10, operations, constants)(g)
        return text.replace("i32", kind), *inputs

    return make


LOOP = """builtin.module {
  func.func @f(%x: i32, %y: i32) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : i32
    %o = arith.addi %y, %c7 : i32
    %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (i32) {
      %zero = arith.constant 0 : i32
      %k = arith.constant 3 : i32
      %p = arith.addi %k, %a : i32
      %q = arith.muli %y, %k : i32
      %s = arith.addi %q, %zero : i32
      %t = arith.addi %p, %k : i32
      %v = arith.addi %o, %k : i32
      %w = arith.xori %s, %v : i32
      %u = arith.xori %w, %t : i32
      scf.yield %u : i32
    }
    func.return %r : i32
  }
}
"""

CASES = (
    case(
        "a zero on the right",
        [
            "%k = arith.constant 0 : i32",
            "%v = arith.addi %x, %k : i32",
            "%w = arith.xori %v, %y : i32",
        ],
        "x + 0 is x.",
    ),
    case(
        "a zero on the left",
        [
            "%k = arith.constant 0 : i32",
            "%v = arith.addi %k, %x : i32",
            "%w = arith.xori %v, %y : i32",
        ],
        "0 + x is x.",
    ),
    case(
        "a one on each side",
        [
            "%k = arith.constant 1 : i32",
            "%v = arith.muli %x, %k : i32",
            "%u = arith.muli %k, %y : i32",
            "%w = arith.xori %v, %u : i32",
        ],
        "x · 1 and 1 · x are x.",
    ),
    case(
        "one more",
        [
            "%k = arith.constant 1 : i32",
            "%v = arith.addi %x, %k : i32",
            "%u = arith.addi %k, %y : i32",
            "%w = arith.muli %v, %u : i32",
        ],
        "x + 1 is not x.",
    ),
    case(
        "times zero on each side",
        [
            "%k = arith.constant 0 : i32",
            "%v = arith.muli %x, %k : i32",
            "%u = arith.muli %k, %y : i32",
            "%w = arith.xori %v, %u : i32",
        ],
        "x · 0 and 0 · x are 0.",
    ),
    case(
        "a difference with itself",
        [
            "%k = arith.constant 0 : i32",
            "%v = arith.addi %x, %k : i32",
            "%w = arith.subi %v, %x : i32",
            "%u = arith.muli %x, %y : i32",
            "%t = arith.addi %u, %w : i32",
        ],
        "Without the zero it is x - x, which is 0.",
    ),
    case(
        "a constant less",
        [
            "%k = arith.constant 5 : i32",
            "%v = arith.subi %x, %k : i32",
            "%w = arith.xori %v, %y : i32",
        ],
        "x - 5 becomes x + (-5).",
    ),
    case(
        "less than a constant",
        [
            "%k = arith.constant 5 : i32",
            "%v = arith.subi %k, %x : i32",
            "%z = arith.constant 0 : i32",
            "%u = arith.subi %z, %y : i32",
            "%t = arith.subi %z, %u : i32",
            "%s = arith.addi %v, %k : i32",
            "%n = arith.subi %z, %x : i32",
            "%m = arith.muli %n, %k : i32",
            "%l = arith.xori %s, %m : i32",
            "%w = arith.xori %l, %t : i32",
        ],
        "5 - x, 0 - y and 0 - (0 - y) are differences, and stay; so do (5 - x) + 5 and (0 - x) · 5.",
    ),
    case(
        "nothing less",
        [
            "%k = arith.constant 0 : i32",
            "%v = arith.subi %x, %k : i32",
            "%w = arith.xori %v, %y : i32",
        ],
        "x - 0 becomes x + 0, and that is x.",
    ),
    case(
        "constants alone",
        [
            "%k = arith.constant 12 : i32",
            "%l = arith.constant 5 : i32",
            "%p = arith.muli %k, %l : i32",
            "%q = arith.subi %p, %k : i32",
            "%r = arith.addi %q, %l : i32",
            "%s = arith.xori %r, %x : i32",
        ],
        "12 · 5 - 12 + 5 is 53.",
    ),
    case(
        "a chain of sums",
        [
            "%k = arith.constant 5 : i32",
            "%l = arith.constant 9 : i32",
            "%p = arith.addi %k, %x : i32",
            "%q = arith.subi %p, %l : i32",
            "%r = arith.addi %l, %q : i32",
            "%s = arith.xori %r, %y : i32",
        ],
        "5 + x, less 9, and 9 more: one sum with 5.",
    ),
    case(
        "a chain of products",
        [
            "%k = arith.constant 3 : i32",
            "%l = arith.constant -7 : i32",
            "%p = arith.muli %k, %x : i32",
            "%q = arith.muli %p, %l : i32",
            "%r = arith.muli %l, %q : i32",
            "%s = arith.xori %r, %y : i32",
        ],
        "One product with 3 · 49.",
    ),
    case(
        "the inner sum is read again",
        [
            "%k = arith.constant 5 : i32",
            "%l = arith.constant -5 : i32",
            "%p = arith.addi %x, %k : i32",
            "%q = arith.addi %p, %l : i32",
            "%r = arith.muli %p, %q : i32",
        ],
        "x + 5 - 5 is x, and x + 5 stays for its other reader.",
    ),
    case(
        "a sum and a product",
        [
            "%k = arith.constant 3 : i32",
            "%p = arith.addi %x, %k : i32",
            "%q = arith.muli %p, %k : i32",
            "%r = arith.addi %q, %k : i32",
        ],
        "(x + 3) · 3 + 3 has three operations, and no two of a kind follow each other.",
    ),
    case(
        "eight bits",
        [
            "%k = arith.constant 100 : i32",
            "%l = arith.constant 50 : i32",
            "%h = arith.constant 16 : i32",
            "%p = arith.addi %x, %k : i32",
            "%q = arith.addi %p, %l : i32",
            "%r = arith.muli %y, %h : i32",
            "%s = arith.muli %r, %h : i32",
            "%m = arith.constant -128 : i32",
            "%t = arith.subi %s, %m : i32",
            "%u = arith.xori %q, %t : i32",
        ],
        "In eight bits 100 + 50 is -106, 16 · 16 is 0, and -(-128) is -128.",
        "i8",
    ),
    case(
        "64 bits",
        [
            "%k = arith.constant 5000000000 : i32",
            "%p = arith.addi %x, %k : i32",
            "%q = arith.addi %p, %k : i32",
            "%r = arith.muli %y, %k : i32",
            "%s = arith.xori %q, %r : i32",
        ],
        "5,000,000,000 and 10,000,000,000 fit into 64 bits.",
        "i64",
    ),
    case(
        "an index",
        [
            "%k = arith.constant 8 : i32",
            "%z = arith.constant 0 : i32",
            "%p = arith.muli %x, %k : i32",
            "%q = arith.addi %z, %p : i32",
            "%r = arith.muli %q, %k : i32",
            "%s = arith.addi %r, %y : i32",
            "%t = arith.subi %s, %k : i32",
        ],
        "The rules hold for the type of indices too: less 8 is a sum with -8.",
        "index",
    ),
    case(
        "floating point",
        [
            "%z = arith.constant -0.0 : i32",
            "%k = arith.constant 1.0 : i32",
            "%p = arith.addf %x, %z : i32",
            "%q = arith.mulf %p, %k : i32",
            "%r = arith.subf %y, %y : i32",
            "%s = arith.addf %q, %r : i32",
            "%o = arith.constant 0.0 : i32",
            "%t = arith.subf %s, %o : i32",
            "%u = arith.mulf %o, %y : i32",
            "%v = arith.addf %t, %u : i32",
        ],
        "The rules are about integers.",
        "f32",
    ),
    case(
        "other operations",
        [
            "%k = arith.constant 1 : i32",
            "%z = arith.constant 0 : i32",
            "%p = arith.divsi %x, %k : i32",
            "%q = arith.andi %y, %y : i32",
            "%r = arith.xori %p, %z : i32",
            "%s = arith.ori %q, %z : i32",
            "%t = arith.subi %r, %s : i32",
        ],
        "No rule speaks of these operations, even where their result is known.",
    ),
    case(
        "the same twice",
        [
            "%p = arith.addi %x, %y : i32",
            "%q = arith.addi %x, %y : i32",
            "%r = arith.muli %p, %q : i32",
            "%s = arith.addi %r, %r : i32",
        ],
        "No rule merges two equal sums, and r + r stays a sum.",
    ),
    case(
        "what nobody reads",
        [
            "%k = arith.constant 7 : i32",
            "%d = arith.divsi %x, %k : i32",
            "%p = arith.addi %d, %k : i32",
            "%q = arith.muli %x, %y : i32",
        ],
        "The quotient, the sum and the constant are read by nobody.",
    ),
    Case("inside a loop", lambda g: (LOOP, *numbers(g)), "The body of the loop runs five times."),
    Case("drawn, of i32", drawn("i32", ("addi", "subi", "muli", "xori"), (0, 1, 2, -1, 8, 3))),
    Case("drawn, of i8", drawn("i8", ("addi", "subi", "muli", "divsi"), (0, 1, -1, 100, 64, -128))),
    Case("drawn, of the three operations", drawn("i64", ("addi", "subi", "muli"), (0, 1, 5, -5))),
)
