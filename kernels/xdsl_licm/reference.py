import torch

from tutor.judge.cases.fx_graphs import draw
from tutor.judge.cases.mlir_texts import count_executed, read_function
from tutor.judge.spec import Case, Rewrite

REWRITE = Rewrite(returns="nothing", idempotent=True, unit="executed operations")
DIVISIONS = ("arith.divsi", "arith.remsi", "arith.floordivsi")


def hoist(region, lines):
    """Move the lines that a loop need not repeat in front of it. `lines` has the line of each name."""
    for line in list(region.lines):
        for inner in line.regions:
            hoist(inner, lines)
        if line.name != "scf.for":
            continue
        body = line.regions[0]
        inside = {*body.arguments, *(each.result for each in body.lines)}
        for each in list(body.lines):
            if may_run_early(each, lines) and not inside.intersection(each.reads):
                body.lines.remove(each)
                inside.discard(each.result)
                region.lines.insert(region.lines.index(line), each)


def may_run_early(line, lines):
    if line.name in DIVISIONS:
        divisor = lines.get(line.reads[1])
        return divisor is not None and divisor.number not in (None, 0, -1)
    return line.name.startswith("arith.")


def most(program, *inputs):
    """Count how often each operation runs, in the call that runs the most."""
    function = read_function(program)
    hoist(function, {line.result: line for line in function.walk()})
    counted = None
    for values in zip(*(each.tolist() for each in inputs), strict=True):
        call = count_executed(function, dict(zip(function.arguments, values, strict=True)))
        if counted is None or call.total() >= counted.total():
            counted = call
    del counted["scf.yield"]
    return counted


least = most  # not less either: what has to stay stays


def cost(operations):
    return sum(each.times for each in operations if each.kind != "end")


HEAD = "%n: index, %m: index, %b: i1, %x: i32, %y: i32"


def program(lines, returned="%r", kind="i32"):
    """Write the text of a module whose function `f` has these lines."""
    body = "".join(
        f"    {line}\n"
        for line in ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", *lines]
    )
    return (
        f"builtin.module {{\n  func.func @f({HEAD}) -> i32 {{\n{body}"
        f"    func.return {returned} : i32\n  }}\n}}\n"
    ).replace("i32", kind)


def loop(lines, yields="", end="%n", counter="%i", carried="%a", first="%x", result="%r"):
    """Write the lines of a loop; with `yields` it carries a value from turn to turn."""
    head = f"scf.for {counter} = %c0 to {end} step %c1"
    if yields:
        head = f"{result} = {head} iter_args({carried} = {first}) -> (i32)"
        lines = [*lines, f"scf.yield {yields} : i32"]
    return [f"{head} {{", *(f"  {line}" for line in lines), "}"]


def arguments(g, kind="i32"):
    """Draw the arguments of five calls: loops of no turn too, and a divisor of 0 in calls with none."""
    n, m = (torch.tensor([draw(g, 0, 4) for _ in range(5)], device=g.device) for _ in "nm")
    n[0], n[1], m[1], n[2], m[2] = 0, 3, 3, 3, 0
    b = torch.tensor([draw(g, 0, 2) for _ in range(5)], device=g.device)
    if kind == "f32":
        return n, m, b, *(torch.randn(5, generator=g, device=g.device) for _ in "xy")
    x, y = (torch.randint(-99, 100, (5,), generator=g, device=g.device) for _ in "xy")
    return n, m, b, x, torch.where(n == 0, 0, torch.where(y == 0, 7, y))


def case(name, lines, why, returned="%r", kind="i32", taken=None):
    text = program(lines, returned, kind)

    def make(g):
        n, m, b, x, y = arguments(g, kind)
        return text, n, m, b if taken is None else torch.full_like(b, taken), x, y

    return Case(name, make, why)


def drawn(operations, divisions):
    """Draw a nest of two loops, the outer one with lines before and behind the inner one."""

    def make(g):
        made = [0]

        def lines(names, count):
            out = []
            for _ in range(count):
                near = [*names[:3], *names[-4:]]
                a, b = (near[draw(g, 0, len(near))] for _ in "ab")
                made[0] += 1
                name = f"%v{made[0]}"
                if divisions and draw(g, 0, 4) == 0:
                    divisor, kind = "%y", DIVISIONS[draw(g, 0, 3)]
                    if draw(g, 0, 2):
                        divisor = f"%k{made[0]}"
                        out.append(
                            f"{divisor} = arith.constant {(3, -1, 7, 2)[draw(g, 0, 4)]} : i32"
                        )
                    out.append(f"{name} = {kind} {a}, {divisor} : i32")
                else:
                    operation = operations[draw(g, 0, len(operations))]
                    out.append(f"{name} = arith.{operation} {a}, {b} : i32")
                names.append(name)
            return out

        names = ["%x", "%y", "%a"]
        before = lines(names, 4)
        inside = [*names[:3], "%d", *names[3:]]
        inner = loop(lines(inside, 5), inside[-1], "%m", "%j", "%d", names[-1], "%s")
        names.append("%s")
        behind = lines(names, 3)
        return program(loop([*before, *inner, *behind], names[-1])), *arguments(g)

    return make


SUM = "%s = arith.addi %a, {} : i32"

CASES = (
    case(
        "one product",
        loop(["%p = arith.muli %x, %y : i32", SUM.format("%p")], "%s"),
        "x · y is the same in each turn.",
    ),
    case(
        "one reads the other",
        loop(
            [
                "%k = arith.constant 3 : i32",
                "%p = arith.muli %x, %k : i32",
                "%q = arith.subi %p, %y : i32",
                "%t = arith.xori %q, %p : i32",
                SUM.format("%t"),
            ],
            "%s",
        ),
        "Once the constant has left the loop, the product may leave it, and then the difference.",
    ),
    case(
        "nothing is the same",
        loop(
            [
                "%t = arith.index_cast %i : index to i32",
                "%p = arith.muli %t, %x : i32",
                "%q = arith.muli %a, %y : i32",
                "%s = arith.addi %p, %q : i32",
            ],
            "%s",
        ),
        "Each operation reads the counter or what the last turn has left, if only by way of another.",
    ),
    case(
        "the result is the same",
        loop(["%p = arith.muli %x, %y : i32"], "%p"),
        "The loop yields a value that does not change.",
    ),
    case(
        "two loops in one",
        loop(
            loop(
                [
                    "%p = arith.muli %x, %y : i32",
                    "%t = arith.index_cast %i : index to i32",
                    "%u = arith.addi %t, %p : i32",
                    "%e = arith.xori %d, %u : i32",
                ],
                "%e",
                "%m",
                "%j",
                "%d",
                "%a",
                "%s",
            ),
            "%s",
        ),
        "The product leaves both loops, the sum with the outer counter leaves the inner one.",
    ),
    case(
        "three loops",
        [
            "%w = arith.constant 5 : index",
            *loop(
                loop(
                    loop(
                        [
                            "%row = arith.muli %i, %w : index",
                            "%area = arith.muli %m, %w : index",
                            "%at = arith.addi %row, %j : index",
                            "%o = arith.addi %at, %area : index",
                            "%t = arith.index_cast %o : index to i32",
                            "%g = arith.addi %h, %t : i32",
                        ],
                        "%g",
                        "%c1",
                        "%l",
                        "%h",
                        "%d",
                        "%e",
                    ),
                    "%e",
                    "%m",
                    "%j",
                    "%d",
                    "%a",
                    "%s",
                ),
                "%s",
            ),
        ],
        "The innermost loop computes an address of which no part depends on its counter.",
    ),
    case(
        "one loop after another",
        [
            *loop(["%p = arith.muli %x, %y : i32", SUM.format("%p")], "%s", result="%q"),
            *loop(
                [
                    "%k = arith.constant 2 : i32",
                    "%t = arith.muli %q, %k : i32",
                    "%u = arith.addi %d, %t : i32",
                ],
                "%u",
                "%m",
                "%j",
                "%d",
                "%q",
            ),
        ],
        "Both loops have work that need not be repeated.",
    ),
    case(
        "quotients",
        loop(
            ["%p = arith.divsi %x, %y : i32", "%o = arith.muli %p, %x : i32", SUM.format("%o")],
            "%s",
        ),
        "In a call with no turn y may be 0.",
    ),
    case(
        "remainders",
        loop(["%p = arith.remsi %x, %y : i32", SUM.format("%p")], "%s"),
        "In a call with no turn y may be 0.",
    ),
    case(
        "quotients that are rounded down",
        loop(["%p = arith.floordivsi %x, %y : i32", SUM.format("%p")], "%s"),
        "In a call with no turn y may be 0.",
    ),
    case(
        "divided by numbers",
        loop(
            [
                "%k = arith.constant 7 : i32",
                "%p = arith.divsi %x, %k : i32",
                "%q = arith.remsi %p, %k : i32",
                "%l = arith.constant -3 : i32",
                "%o = arith.floordivsi %q, %l : i32",
                SUM.format("%o"),
            ],
            "%s",
        ),
        "7 and -3 are constants and neither 0 nor -1.",
    ),
    case(
        "divided by minus one",
        loop(
            [
                "%k = arith.constant -1 : i32",
                "%p = arith.divsi %x, %k : i32",
                "%q = arith.remsi %x, %k : i32",
                "%o = arith.floordivsi %y, %k : i32",
                "%t = arith.addi %p, %q : i32",
                "%u = arith.addi %t, %o : i32",
                SUM.format("%u"),
            ],
            "%s",
        ),
        "The divisor is -1.",
    ),
    case(
        "divided by zero, never",
        [
            "%z = arith.constant 0 : i32",
            *loop(
                loop(
                    [
                        "%p = arith.divsi %x, %z : i32",
                        "%q = arith.muli %x, %y : i32",
                        "%o = arith.addi %p, %q : i32",
                        "%u = arith.addi %d, %o : i32",
                    ],
                    "%u",
                    "%c0",
                    "%j",
                    "%d",
                    "%a",
                    "%s",
                ),
                "%s",
            ),
        ],
        "The inner loop has no turn, so nobody divides by 0. Its product moves all the same.",
    ),
    case(
        "divided by a value that does not change",
        loop(
            [
                "%k = arith.constant 100 : i32",
                "%w = arith.addi %y, %k : i32",
                "%v = arith.muli %w, %w : i32",
                "%p = arith.divsi %x, %v : i32",
                SUM.format("%p"),
            ],
            "%s",
        ),
        "The divisor is computed in front of the loop, and it is no constant.",
    ),
    case(
        "divided in a loop that has turns",
        [
            "%t3 = arith.constant 3 : index",
            "%o = arith.constant 1 : i32",
            "%v = arith.ori %y, %o : i32",
            *loop(["%p = arith.divsi %x, %v : i32", SUM.format("%p")], "%s", "%t3"),
        ],
        "The loop has three turns and the divisor is odd, but it is no constant.",
    ),
    case(
        "a branch that is not taken",
        loop(
            [
                "%p = scf.if %b -> (i32) {",
                "  %q = arith.muli %x, %y : i32",
                "  scf.yield %q : i32",
                "} else {",
                "  scf.yield %y : i32",
                "}",
                SUM.format("%p"),
            ],
            "%s",
        ),
        "The product stands in a branch.",
        taken=0,
    ),
    case(
        "a branch that is taken",
        loop(
            [
                "%p = scf.if %b -> (i32) {",
                "  %q = arith.muli %x, %y : i32",
                "  scf.yield %q : i32",
                "} else {",
                "  %k = arith.constant 4 : i32",
                "  scf.yield %k : i32",
                "}",
                SUM.format("%p"),
            ],
            "%s",
        ),
        "The product stands in a branch.",
        taken=1,
    ),
    case(
        "a loop in a branch",
        [
            "%r = scf.if %b -> (i32) {",
            *(
                f"  {line}"
                for line in loop(
                    ["%p = arith.muli %x, %y : i32", SUM.format("%p")], "%s", result="%q"
                )
            ),
            "  scf.yield %q : i32",
            "} else {",
            "  scf.yield %y : i32",
            "}",
        ],
        "The product leaves the loop and stays in the branch.",
    ),
    case(
        "memory",
        [
            "%w = memref.alloc() : memref<4xi32>",
            "memref.store %x, %w[%c0] : memref<4xi32>",
            *loop(
                [
                    "%p = memref.load %w[%c0] : memref<4xi32>",
                    "%k = arith.constant 3 : i32",
                    "%q = arith.muli %p, %k : i32",
                    "%t = arith.muli %y, %k : i32",
                    "%u = arith.addi %q, %t : i32",
                    "memref.store %u, %w[%c0] : memref<4xi32>",
                ]
            ),
            "%r = memref.load %w[%c0] : memref<4xi32>",
        ],
        "Each turn reads what the one before has stored.",
    ),
    case(
        "memory that is only read",
        [
            "%w = memref.alloc() : memref<4xi32>",
            "memref.store %x, %w[%c1] : memref<4xi32>",
            *loop(["%p = memref.load %w[%c1] : memref<4xi32>", SUM.format("%p")], "%s"),
        ],
        "Nobody stores in the loop. The load stays all the same, as the task says of memory.",
    ),
    case(
        "memory of each turn",
        loop(
            [
                "%w = memref.alloc() : memref<4xi32>",
                "%o = memref.load %w[%c1] : memref<4xi32>",
                "memref.store %y, %w[%c1] : memref<4xi32>",
                "%p = arith.addi %o, %x : i32",
                SUM.format("%p"),
            ],
            "%s",
        ),
        "Each turn sets memory aside, which is 0 here, and writes to it.",
    ),
    case(
        "the same twice",
        loop(
            [
                "%p = arith.muli %x, %y : i32",
                "%q = arith.muli %x, %y : i32",
                "%t = arith.xori %p, %a : i32",
                "%s = arith.addi %t, %q : i32",
            ],
            "%s",
        ),
        "Two products compute the same. Both move, and both stay two.",
    ),
    case(
        "compared and chosen",
        loop(
            [
                "%k = arith.constant 9 : i32",
                "%c = arith.cmpi slt, %x, %k : i32",
                "%p = arith.select %c, %x, %y : i32",
                "%t = arith.andi %p, %k : i32",
                SUM.format("%t"),
            ],
            "%s",
        ),
        "A comparison and a choice are operations of arith too.",
    ),
    case(
        "floating point",
        loop(
            [
                "%k = arith.constant 0.5 : i32",
                "%p = arith.mulf %x, %k : i32",
                "%q = arith.addf %p, %y : i32",
                "%s = arith.addf %a, %q : i32",
            ],
            "%s",
        ),
        "Sums and products of floating-point numbers do no harm.",
        kind="f32",
    ),
    Case("drawn", drawn(("addi", "subi", "muli", "xori"), False)),
    Case("drawn, with quotients", drawn(("addi", "muli", "xori"), True)),
    Case("drawn, with more quotients", drawn(("subi", "andi"), True)),
)
